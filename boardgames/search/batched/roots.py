"""What is special at the root of a tree: noise, the choice of moves, and the results of the search.

- Dirichlet noise in the priors (D. Silver et al., "A general reinforcement learning algorithm that
  masters chess, shogi, and Go through self-play", 2018);
- forced playouts and the pruning of the policy that makes up for them (D. Wu, "Accelerating self-play
  learning in Go", 2019);
- the Gumbel root: moves are sampled without replacement with Gumbel noise, sequential halving divides the
  simulations among them, and the values of all moves improve the policy; moves without visits get an
  estimated value (I. Danihelka et al., "Policy improvement by planning with Gumbel", 2022).
"""

import math

import numpy as np

from boardgames.kernels import Actions, Words, kernel, next_random, row_out, types
from boardgames.kernels.abi import ACTIONS_STACK, FLOATS_OUT, FLOATS_STACK, WORDS_OUT, Floats
from boardgames.kernels.bundles import BUNDLE
from boardgames.search.batched.options import GUMBEL_ROOT, NOISE_ROOT, unpack
from boardgames.search.batched.proofs import NO_PROOF, PROVEN_DRAW, proven_value

ROOT = 0
NO_EDGE = -1
NO_ACTION = -1
SKIP_NONE = -1
"""Value of `skipped` with which no edge is left out."""
SHIFT_11 = np.uint64(11)
UNIT = 2.0**-53
SMALLEST = 1e-12
"""Smallest prior of which a logarithm is taken; smaller priors are replaced by it."""
EXPLORATION_GROWTH = 1.0 / 5000.0
"""Exploration grows by the logarithm of 1 + visits * `EXPLORATION_GROWTH`."""


@kernel(types.float64(types.float64, types.float64))
def exploration_term(exploration: float, visits: float) -> float:
    """Return the exploration term of PUCT for a move with prior 1 and no visits, given the node's visits."""
    return exploration * (1.0 + math.log(1.0 + visits * EXPLORATION_GROWTH)) * math.sqrt(max(visits, 1.0))


@kernel(types.float64(WORDS_OUT))
def random_unit(state: Words) -> float:
    """Advance a random state and return a number above 0 and below 1."""
    return (float(next_random(state) >> SHIFT_11) + 0.5) * UNIT


@kernel(types.float64(WORDS_OUT, types.float64))
def random_gamma(state: Words, shape: float) -> float:
    """Advance a random state and return a number with a gamma distribution of scale 1.

    Source: G. Marsaglia and W. Tsang, "A simple method for generating gamma variables", 2000.
    """
    boost = 1.0
    if shape < 1.0:
        boost = random_unit(state) ** (1.0 / shape)
        shape += 1.0
    third = shape - 1.0 / 3.0
    width = 1.0 / math.sqrt(9.0 * third)
    while True:
        normal = math.sqrt(-2.0 * math.log(random_unit(state))) * math.cos(2.0 * math.pi * random_unit(state))
        cube = 1.0 + width * normal
        if cube > 0.0:
            cube = cube * cube * cube
            if math.log(random_unit(state)) < 0.5 * normal * normal + third * (1.0 - cube + math.log(cube)):
                return third * cube * boost


@kernel(types.void(BUNDLE, types.int64))
def add_noise(bundle: Actions, tree: int) -> None:
    """Mix Dirichlet noise into the priors of the root, or draw the noise of a Gumbel root."""
    search = unpack(bundle)
    options = search.options[0]
    state = row_out(search.random_states, tree)
    count = int(search.node_count[tree, ROOT])
    if options.root == GUMBEL_ROOT:
        for edge in range(count):
            search.root_noise[tree, edge] = -math.log(-math.log(random_unit(state)))
    elif search.noisy[tree] != 0 and options.root == NOISE_ROOT and options.noise_share > 0.0:
        total = 0.0
        for edge in range(count):
            noise = random_gamma(state, options.noise_total / count)
            search.root_noise[tree, edge] = noise
            total += noise
        for edge in range(count):
            share = search.root_noise[tree, edge] / max(total, SMALLEST)
            prior = float(search.edge_prior[tree, edge])
            search.edge_prior[tree, edge] = prior + options.noise_share * (share - prior)


@kernel(types.float64(BUNDLE, types.int64, types.int64, types.float64))
def mean_of(bundle: Actions, tree: int, edge: int, sign: float) -> float:
    """Return the value of an edge that has a proof or visits; `sign` is 1 for side 0, -1 for side 1."""
    search = unpack(bundle)
    proof = search.edge_proof[tree, edge]
    if proof != NO_PROOF:
        return sign * proven_value(proof)
    return sign * search.edge_total[tree, edge] / search.edge_visits[tree, edge]


@kernel(types.float64(BUNDLE, types.int64))
def completed_value(bundle: Actions, tree: int) -> float:
    """Return the estimated value of a root move without visits, for the side to move.

    It is a mean of the network's value, which counts as one visit, and of the values of the moves with
    visits. These are weighted by their priors, and together count as much as their visits.
    """
    search = unpack(bundle)
    sign = 1.0 - 2.0 * search.node_side[tree, ROOT]
    own, weighted, priors, visits = sign * float(search.node_value[tree, ROOT]), 0.0, 0.0, 0
    for edge in range(search.node_count[tree, ROOT]):
        if search.edge_visits[tree, edge] > 0:
            prior = max(float(search.edge_prior[tree, edge]), SMALLEST)
            weighted += prior * mean_of(bundle, tree, edge, sign)
            priors += prior
            visits += search.edge_visits[tree, edge]
    return (own + visits * weighted / priors) / (1.0 + visits) if visits > 0 else own


@kernel(types.void(BUNDLE, types.int64, FLOATS_OUT))
def write_scores(bundle: Actions, tree: int, scores: Floats) -> None:
    """Write the score of each move of the root: the log of its prior plus its scaled value, without noise."""
    search = unpack(bundle)
    options = search.options[0]
    sign = 1.0 - 2.0 * search.node_side[tree, ROOT]
    count, most = int(search.node_count[tree, ROOT]), 0
    for edge in range(count):
        most = max(most, search.edge_visits[tree, edge])
    scale = 0.5 * options.value_scale * (options.value_offset + most)
    completed = completed_value(bundle, tree)
    for edge in range(count):
        value = completed
        if search.edge_visits[tree, edge] > 0 or search.edge_proof[tree, edge] != NO_PROOF:
            value = mean_of(bundle, tree, edge, sign)
        prior = max(float(search.edge_prior[tree, edge]), SMALLEST)
        scores[edge] = math.log(prior) + scale * value


@kernel(types.int64(types.int64, types.int64, types.int64))
def visits_in_turn(moves: int, simulations: int, number: int) -> int:
    """Return how many visits a move has before sequential halving chooses it in a simulation.

    Parameters
    ----------
    moves : int64
        Number of moves that were sampled.
    simulations : int64
        Total number of simulations.
    number : int64
        The number of the simulation; the first is 0.
    """
    if moves <= 1:
        return number
    rounds, considered, visits = 1, moves, 0
    while 1 << rounds < moves:
        rounds += 1
    while True:
        each = max(1, simulations // (rounds * considered))
        if number < each * considered:
            return visits + number // considered
        number -= each * considered
        visits += each
        considered = max(2, considered // 2)


@kernel(types.int64(BUNDLE, types.int64))
def gumbel_edge(bundle: Actions, tree: int) -> int:
    """Return the edge of a Gumbel root for the next simulation."""
    search = unpack(bundle)
    options = search.options[0]
    scores = row_out(search.root_scores, tree)
    write_scores(bundle, tree, scores)
    count, loss = int(search.node_count[tree, ROOT]), 2 - int(search.node_side[tree, ROOT])
    budget = search.budgets[tree]
    sampled = min(options.considered, count, budget)
    turn = visits_in_turn(sampled, budget, search.done[tree] + search.waiting[tree])
    best, most, highest = NO_EDGE, -1, -math.inf
    for edge in range(count):
        if search.edge_proof[tree, edge] == loss:
            continue
        visits = search.edge_visits[tree, edge] + search.edge_waiting[tree, edge]
        score = scores[edge] + search.root_noise[tree, edge]
        # the turns of lost moves go to the moves with the next lower number of visits
        if visits <= turn and (visits > most or (visits == most and score > highest)):
            best, most, highest = edge, visits, score
    if best == NO_EDGE:
        for edge in range(count):
            score = scores[edge] + search.root_noise[tree, edge]
            if search.edge_proof[tree, edge] != loss and score > highest:
                best, highest = edge, score
    return best


@kernel(types.float64(BUNDLE, types.int64, types.int64, FLOATS_OUT))
def write_improved_policy(bundle: Actions, tree: int, skipped: int, policy: Floats) -> float:
    """Write the policy of a Gumbel root for each of its edges, and return its value for the side to move.

    Edges with the proof `skipped` get no probability.
    """
    search = unpack(bundle)
    sign = 1.0 - 2.0 * search.node_side[tree, ROOT]
    count, highest, total, value = int(search.node_count[tree, ROOT]), -math.inf, 0.0, 0.0
    scores = row_out(search.root_scores, tree)
    write_scores(bundle, tree, scores)
    for edge in range(count):
        if search.edge_proof[tree, edge] != skipped:
            highest = max(highest, float(scores[edge]))
    completed = completed_value(bundle, tree)
    for edge in range(count):
        policy[edge] = 0.0
        if search.edge_proof[tree, edge] != skipped:
            policy[edge] = math.exp(scores[edge] - highest)
            total += policy[edge]
            is_known = search.edge_visits[tree, edge] > 0 or search.edge_proof[tree, edge] != NO_PROOF
            value += policy[edge] * (mean_of(bundle, tree, edge, sign) if is_known else completed)
    for edge in range(count):
        policy[edge] /= total
    return value / total


@kernel(types.float64(BUNDLE, types.int64, types.int64, types.float64))
def forced_visits(bundle: Actions, tree: int, edge: int, visits: float) -> float:
    """Return the minimum number of visits of a move of the root after `visits` simulations."""
    search = unpack(bundle)
    return math.sqrt(search.options[0].forced * search.edge_prior[tree, edge] * visits)


@kernel(types.void(BUNDLE, types.int64, types.int64, types.int64, FLOATS_OUT))
def prune_visits(bundle: Actions, tree: int, best: int, visits: int, policy: Floats) -> None:
    """Subtract the visits that PUCT would not have made from every edge of the root but the best one.

    `policy` has the visits of the edges, and `visits` is the number of all simulations.
    """
    search = unpack(bundle)
    sign = 1.0 - 2.0 * search.node_side[tree, ROOT]
    exploration = exploration_term(search.options[0].exploration, float(visits))
    bound = exploration * search.edge_prior[tree, best] / (1.0 + policy[best])
    bound += mean_of(bundle, tree, best, sign)
    for edge in range(search.node_count[tree, ROOT]):
        if edge != best and policy[edge] > 0.0:
            gap = max(bound - mean_of(bundle, tree, edge, sign), SMALLEST)
            wanted = math.ceil(max(exploration * search.edge_prior[tree, edge] / gap - 1.0, 0.0))
            least = policy[edge] - math.floor(forced_visits(bundle, tree, edge, float(visits)))
            policy[edge] = max(min(float(policy[edge]), wanted), least)
            if policy[edge] <= 1.0:
                policy[edge] = 0.0


@kernel(types.float64(BUNDLE, types.int64, types.int64, FLOATS_OUT))
def write_visit_policy(bundle: Actions, tree: int, skipped: int, policy: Floats) -> float:
    """Write the shares of visits of the root's edges, and return its value for the side to move.

    Edges with the proof `skipped` get no probability. With noise, forced visits are pruned: from every
    move but the most visited one, the visits that PUCT alone would not have made are subtracted, and moves
    that are left with a single visit are dropped.
    """
    search = unpack(bundle)
    options = search.options[0]
    sign = 1.0 - 2.0 * search.node_side[tree, ROOT]
    count, best = int(search.node_count[tree, ROOT]), NO_EDGE
    visits, total, priors, kept = 0, 0.0, 0.0, 0
    value = sign * float(search.node_value[tree, ROOT])
    for edge in range(count):
        policy[edge] = 0.0
        visits += search.edge_visits[tree, edge]
        value += sign * search.edge_total[tree, edge]
        if search.edge_proof[tree, edge] != skipped:
            policy[edge] = search.edge_visits[tree, edge]
            priors += search.edge_prior[tree, edge]
            kept += 1
            if best == NO_EDGE or policy[edge] > policy[best]:
                best = edge
    is_noisy = options.root == NOISE_ROOT and search.noisy[tree] != 0
    if is_noisy and options.forced > 0.0 and policy[best] > 0.0:
        prune_visits(bundle, tree, best, visits, policy)
    for edge in range(count):
        total += policy[edge]
    for edge in range(count):
        if total > 0.0:
            policy[edge] /= total
        elif search.edge_proof[tree, edge] != skipped:  # nothing was visited
            policy[edge] = search.edge_prior[tree, edge] / priors if priors > 0.0 else 1.0 / kept
    return value / (1.0 + visits)


@kernel(types.int64(BUNDLE, types.int64, types.int64, FLOATS_OUT))
def chosen_edge(bundle: Actions, tree: int, skipped: int, policy: Floats) -> int:
    """Return the edge to play: one that is proven to win, or else the best edge."""
    search = unpack(bundle)
    side, count = int(search.node_side[tree, ROOT]), int(search.node_count[tree, ROOT])
    is_gumbel = search.options[0].root == GUMBEL_ROOT
    scores = row_out(search.root_scores, tree)
    best, most, highest = NO_EDGE, -1.0, -math.inf
    for edge in range(count):
        proof = search.edge_proof[tree, edge]
        if proof == side + 1:
            return edge
        if proof == skipped:
            continue
        # without a Gumbel root, the policy has the shares of visits, without the forced ones
        weight = float(search.edge_visits[tree, edge]) if is_gumbel else float(policy[edge])
        score = scores[edge] + search.root_noise[tree, edge] if is_gumbel else search.edge_prior[tree, edge]
        if weight > most or (weight == most and score > highest):
            best, most, highest = edge, weight, score
    sign = 1.0 - 2.0 * side
    if (
        search.edge_visits[tree, best] > 0
        and search.edge_proof[tree, best] == NO_PROOF
        and mean_of(bundle, tree, best, sign) < 0.0
    ):
        for edge in range(count):
            if search.edge_proof[tree, edge] == PROVEN_DRAW:
                return edge
    return best


@kernel(types.void(BUNDLE, types.int64, types.int64, FLOATS_OUT))
def keep_wins(bundle: Actions, tree: int, win: int, policy: Floats) -> None:
    """Restrict the policy to the moves that are proven to win."""
    search = unpack(bundle)
    count, total, wins = int(search.node_count[tree, ROOT]), 0.0, 0
    for edge in range(count):
        if search.edge_proof[tree, edge] == win:
            total += policy[edge]
            wins += 1
    for edge in range(count):
        share = policy[edge] / total if total > 0.0 else 1.0 / wins
        policy[edge] = share if search.edge_proof[tree, edge] == win else 0.0


@kernel(types.void(BUNDLE, ACTIONS_STACK, ACTIONS_STACK, FLOATS_STACK, types.int64, types.int64))
def write_results(
    bundle: Actions, results: Actions, visits: Actions, policies: Floats, first: int, last: int
) -> None:
    """Write the result of the search at each root.

    Parameters
    ----------
    results : int64[n, 2]
        The action to play, and the result of perfect play or -1.
    visits : int64[n, actions]
        Must be 0 before the call.
    policies : float32[n, actions + 1]
        Must be 0 before the call. The last column gets the value for the side to move.
    """
    search = unpack(bundle)
    actions = search.moves.shape[1]
    for tree in range(first, last):
        side, count = int(search.node_side[tree, ROOT]), int(search.node_count[tree, ROOT])
        proof = int(search.node_proof[tree, ROOT]) if search.nodes_used[tree] > 0 else NO_PROOF
        results[tree, 0], results[tree, 1] = NO_ACTION, proof - 1
        if search.nodes_used[tree] <= 0 or (proof == NO_PROOF and math.isnan(search.edge_prior[tree, 0])):
            continue  # nothing is known yet
        if count == 0:
            policies[tree, actions] = (1.0 - 2.0 * side) * proven_value(proof)
            continue
        skipped = SKIP_NONE if proof == 2 - side else 2 - side
        if math.isnan(search.edge_prior[tree, 0]):  # a move wins at once, so nothing was evaluated
            for edge in range(count):
                search.edge_prior[tree, edge] = 1.0 / count
                search.root_noise[tree, edge] = 0.0
            search.node_value[tree, ROOT] = proven_value(proof)
        policy = row_out(search.root_policy, tree)
        value = 0.0
        if search.options[0].root == GUMBEL_ROOT:
            value = write_improved_policy(bundle, tree, skipped, policy)
        else:
            value = write_visit_policy(bundle, tree, skipped, policy)
        if proof == side + 1:
            keep_wins(bundle, tree, proof, policy)
        for edge in range(count):
            action = search.edge_action[tree, edge]
            visits[tree, action] = search.edge_visits[tree, edge]
            policies[tree, action] = policy[edge]
        if proof != NO_PROOF:
            value = (1.0 - 2.0 * side) * proven_value(proof)
        policies[tree, actions] = value
        results[tree, 0] = search.edge_action[tree, chosen_edge(bundle, tree, skipped, policy)]
