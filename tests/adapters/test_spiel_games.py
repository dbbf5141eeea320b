"""Games and bots of OpenSpiel here: rules, names, drawings, options, and players."""

import pickle
import random
import sys
from typing import Any

import pytest
from web_pages import Server

import boardgames
from boardgames import Game, Manager, MatchRules, MatchState, check_game
from boardgames.adapters import spiel_games
from boardgames.arena import Arena, Plan
from boardgames.errors import BoardgamesError, MissingExtraError, OptionError, UnknownNameError
from boardgames.executors import InProcess
from boardgames.plugins import Registry, load_game_of
from boardgames.record import format_record, parse_records

pyspiel = pytest.importorskip("pyspiel")

SMALL: dict[str, dict[str, Any]] = {
    "breakthrough": {"rows": 5, "columns": 4},
    "dots_and_boxes": {},
    "hex": {"board_size": 4},
    "nim": {},
    "othello": {},
    "tic_tac_toe": {},
}


@pytest.fixture(params=SMALL)
def small(request: pytest.FixtureRequest) -> Game:
    """Return a game of OpenSpiel with short matches, for several of them."""
    return boardgames.load(f"spiel:{request.param}", **SMALL[request.param])


def played(game: Game, seed: int, plies: int = 10_000) -> MatchState:
    state, generator = MatchState(game.start()), random.Random(seed)
    while state.outcome is None and state.ply < plies:
        state.push(generator.choice(state.actions))
    return state


def test_a_match_is_that_of_openspiel(small: Game) -> None:
    for seed in range(5):
        match = played(small, seed)
        state = small.spiel.new_initial_state()  # type: ignore[attr-defined]  # of games of OpenSpiel
        for before, action in zip(match.positions, match.played, strict=False):
            assert (before.side_to_move, list(before.actions)) == (
                state.current_player(),
                state.legal_actions(),
            )
            state.apply_action(action)
        assert match.outcome is not None
        assert state.is_terminal()
        assert list(match.outcome.returns) == state.returns()


def test_texts_of_positions_and_moves_can_be_read_again(small: Game) -> None:
    for position in played(small, seed=1).positions:
        assert small.parse(str(position)) == position
        for move in position.legal_moves:
            assert small.parse_move(position, move.text) == move
            assert not set(move.text) & set(" ,;(){}")


def test_a_record_can_be_read_again(small: Game) -> None:
    match = Manager(small, [None, None])
    for action in played(small, seed=2, plies=4).played:
        match.make_move(match.side_to_move, action)
    read = parse_records(format_record(match.record()), load_game_of)
    assert read.errors == ()
    assert read.records[0].moves == match.record().moves
    assert load_game_of(read.records[0]) == small


def test_a_game_can_be_sent_to_another_process(small: Game) -> None:
    position = played(small, seed=1, plies=3).position
    assert pickle.loads(pickle.dumps(position)) == position


def test_the_search_of_openspiel_can_be_sent_to_another_process(small: Game) -> None:
    player = boardgames.load_player("spiel-mcts:simulations=20", small, seed=3)
    copied = pickle.loads(pickle.dumps(player))
    assert copied.options == player.options
    assert copied.choose(small.start()).move == player.choose(small.start()).move


@pytest.mark.slow
def test_our_checks_find_nothing_wrong_with_a_game_of_openspiel() -> None:
    assert not check_game(boardgames.load("spiel:tic_tac_toe")).findings


def test_a_board_that_is_printed_as_rows_is_drawn_with_its_names_of_cells() -> None:
    othello = boardgames.load("spiel:othello")
    position = othello.start().apply("d3")
    pieces = {piece.cell: piece.side for piece in position.picture().pieces}
    assert pieces == {"d3": 0, "d4": 0, "d5": 0, "e4": 0, "e5": 1}
    assert position.picture().clicks["c3"] == (("c3",),)
    breakthrough = boardgames.load("spiel:breakthrough").start().picture()
    assert breakthrough.clicks["a7a6"] == (("a7", "a6"),)
    assert {piece.side for piece in breakthrough.pieces if piece.cell[1] in "78"} == {0}


def test_the_text_of_any_other_board_is_shown() -> None:
    picture = boardgames.load("spiel:chess").start().picture()
    assert not picture.cells
    assert picture.captions[0].text.startswith("rnbqkbnr/pppppppp/8/8")
    assert "Nf6" not in picture.clicks
    assert {"Nf3", "e4"} <= picture.clicks.keys()


@pytest.mark.parametrize("name", ["checkers", "pentago", "amazons"])
def test_a_board_that_does_not_consist_of_rows_of_two_kinds_of_pieces_is_shown_as_text(name: str) -> None:
    game = boardgames.load(f"spiel:{name}")
    for position in played(game, seed=1, plies=20).positions:
        picture = position.picture()
        lines = str(game.state_of(position)).splitlines()  # type: ignore[attr-defined]  # of a plain game
        assert not picture.cells
        assert [caption.text for caption in picture.captions] == [line for line in lines if line.strip()]


def test_a_line_that_has_a_row_among_other_signs_means_that_there_is_no_board() -> None:
    assert spiel_games._rows_of("1 x . o\n2 . . .\n") == ["...", "x.o"]
    assert spiel_games._rows_of("> 1 x . o <\n2 . . .\n3 . . x\n") == []
    assert spiel_games._rows_of("1 x + o\n2 . . .\n3 . . x\n") == []


def test_a_game_without_a_board_is_observed_as_in_openspiel() -> None:
    game = boardgames.load("spiel:amazons")
    for position in played(game, seed=1, plies=9).positions:
        state = game.state_of(position)  # type: ignore[attr-defined]  # of a plain game
        for side in (0, 1):
            planes = position.observation(side)
            assert planes[:-1].ravel().tolist() == state.observation_tensor(side)
            assert (planes[-1] == side).all()


@pytest.mark.parametrize("name", ["amazons", "pentago", "checkers", "oware", "mancala", "gomoku", "go"])
def test_a_game_without_a_board_is_an_environment(name: str) -> None:
    pettingzoo = pytest.importorskip("boardgames.adapters.pettingzoo")
    env, generator = pettingzoo.env(f"spiel:{name}"), random.Random(1)
    env.reset()
    for _, _agent in zip(range(50), env.agent_iter(), strict=False):
        observation, _, terminated, truncated, _ = env.last()
        assert observation["observation"].any()
        legal = observation["action_mask"].nonzero()[0].tolist()
        env.step(None if terminated or truncated else generator.choice(legal))


def test_our_agents_play_and_the_search_of_openspiel_beats_random_moves() -> None:
    game = boardgames.load("spiel:tic_tac_toe")
    agents = [boardgames.load_player(text, game, seed=1) for text in ("spiel-mcts:simulations=200", "random")]
    outcomes = []
    for _ in range(6):
        match = Manager(game, agents)
        match.play()
        outcomes.append(match.outcome)
    assert all(one is not None and one.winner != 1 for one in outcomes)


def test_equal_seeds_give_equal_moves_of_the_search() -> None:
    game = boardgames.load("spiel:breakthrough", rows=5, columns=4)
    moves = [
        boardgames.load_player("spiel-mcts:simulations=20", game, seed=seed).choose(game.start()).move
        for seed in (2**63, 2**63, 1, 2, 3, 4)
    ]
    assert moves[0] == moves[1]
    assert len(set(moves)) > 1


def test_the_page_plays_a_game_of_openspiel() -> None:
    server = Server()
    page = server.page()
    try:
        match = page.start("here", "random", game="spiel:tic_tac_toe")
        page.send("move", match=match, ply=0, move="x_1_1")
        assert page.state(ply=2)["outcome"] is None
    finally:
        page.close()
        server.close()


@pytest.mark.parametrize("name", ["spiel:tic_tac_toe", "connect4"])
def test_any_bot_is_a_player_of_both_sides(name: str) -> None:
    game = boardgames.load(name)
    made: list[int] = []

    def make_bot(side: int) -> Any:
        made.append(side)
        return pyspiel.make_uniform_random_bot(side, 7)

    player, opponent = spiel_games.bot_player(make_bot, game), boardgames.load_player("random", game, seed=1)
    for players in ([player, opponent], [opponent, player], [player, player]):
        match = Manager(game, players)
        match.play()
        assert match.fault is None
    assert made == [0, 1]


def test_a_bot_plays_in_an_arena() -> None:
    game = boardgames.load("spiel:breakthrough", rows=5, columns=4)
    bots = [
        spiel_games.bot_player(lambda side: pyspiel.make_uniform_random_bot(side, 7), game) for _ in range(2)
    ]
    report = Arena(Plan(game=game, agents=[*bots, "greedy"], matches=2), seed=1).run(InProcess())
    assert [standing.agent for standing in report.standings] == ["spiel-bot", "spiel-bot #2", "greedy"]
    assert not any(sum(standing.faults.values()) for standing in report.standings)
    assert report.ranked[0].agent == "greedy"


class Watching(pyspiel.Bot):  # type: ignore[misc,name-defined]  # no types
    """A bot that keeps the states that it sees, and plays the first legal action."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[list[int], int]] = []

    def restart(self) -> None:
        pass

    def step(self, state: Any) -> int:
        """Keep the actions so far and the number of positions."""
        self.seen.append((state.history(), len(state.match.positions)))
        return int(state.legal_actions()[0])


@pytest.mark.parametrize("start", ["", "4 4 5"], ids=["from the start", "from another position"])
def test_a_bot_sees_the_match_so_far_in_our_games(start: str) -> None:
    game, bot = boardgames.load("connect4"), Watching()
    first = game.start().apply_moves(start)
    match = Manager(game, [spiel_games.bot_player(lambda side: bot, game)] * 2, start=first)
    for _ in range(4):
        match.step()
    actions = [played.move.action for played in match.moves]
    assert bot.seen == [(actions[:ply], ply + 1) for ply in range(4)]


def test_a_bot_can_move_after_the_limit_of_plies_between_agents() -> None:
    game, bot = boardgames.load("abalone"), Watching()
    limit = game.facts.ply_limit
    assert limit is not None
    state, generator = MatchState(game.start(), MatchRules()), random.Random(1)
    while state.ply < limit:
        state.push(generator.choice(state.actions))
    spiel_games.bot_player(lambda side: bot, game).choose(state.position, context=state.context)
    assert bot.seen == [([], 1)]


def test_limits_are_nothing_that_a_bot_knows() -> None:
    assert not spiel_games.BotPlayer.respects_limits


def test_a_name_is_known_only_after_it_was_used() -> None:
    registry = Registry()
    assert not any(offer.entry.name.startswith("spiel:") for offer in registry.offers("games"))
    registry.check_name("games", "spiel:hex")
    registry.check_name("games", "spiel:hex")
    assert [o.entry.name for o in registry.offers("games") if o.plugin == "spiel"] == ["spiel:hex"]
    assert registry.offers("agents", "spiel:hex")


def test_every_game_that_fits_can_be_loaded() -> None:
    names = [name for name, _ in spiel_games._kinds()]
    assert {"chess", "go", "checkers", "hex", "breakthrough", "amazons"} <= set(names)
    for name in ("chess", "amazons", "mancala", "shogi"):
        state = played(boardgames.load(f"spiel:{name}"), seed=1, plies=3)
        assert state.ply == 3


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("spiel:chss", {}, UnknownNameError, "OpenSpiel has no game 'chss'; did you mean 'chess' or"),
        ("spiel:", {}, UnknownNameError, "OpenSpiel has no game ''"),
        ("spiel:leduc_poker", {}, UnknownNameError, "the game 'spiel:leduc_poker' cannot be played"),
        ("spiel:hex", {"board_sise": 4}, OptionError, "game 'spiel:hex' has no option 'board_sise'"),
        ("spiel:hex", {"board_size": "big"}, OptionError, "board_size must be an integer, not 'big'"),
        ("spiel:chinese_checkers", {"players": 3}, OptionError, "spiel:chinese_checkers must have 2 players"),
        ("other:chess", {}, UnknownNameError, "no such game 'other:chess'"),
    ],
)  # fmt: skip
def test_wrong_names_and_parameters_are_refused_on_one_line(
    name: str, options: dict[str, Any], error: type[BoardgamesError], message: str
) -> None:
    with pytest.raises(error) as raised:
        boardgames.load(name, **options)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text", ["0,0", "9", "x", "0,", "", "1" * 5000])
def test_actions_that_are_not_legal_are_no_position(text: str) -> None:
    with pytest.raises(BoardgamesError, match="write the actions from the start, such as 0,1"):
        boardgames.load("spiel:tic_tac_toe").parse(text)


def test_what_makes_no_bot_is_refused_on_one_line() -> None:
    game = boardgames.load("connect4")
    needs = r"^spiel-bot needs a function that returns a bot for a side: bot_player\(lambda side: ..., game\)"
    for value, rest in [(None, "$"), ("greedy", ", not 'greedy'$")]:
        with pytest.raises(OptionError, match=needs + rest):
            spiel_games.BotPlayer(game, value)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(OptionError, match=needs + ", not <"):
        spiel_games.bot_player(pyspiel.make_uniform_random_bot(0, 7), game)
    with pytest.raises(OptionError, match=r"^a bot must be a pyspiel.Bot, not 'greedy'$"):
        spiel_games.bot_player(lambda side: "greedy", game).choose(game.start())


def test_without_openspiel_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    spiel_games._class_of.cache_clear()
    spiel_games._kinds.cache_clear()
    with pytest.raises(MissingExtraError, match=r"^a game of OpenSpiel needs the extra 'openspiel'"):
        Registry().check_name("games", "spiel:chess")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("chess", {"chess960": True}, "begins with a chance node"),
        ("hex", {"board_size": 1000}, "has 1,000,000 actions, not 1 to 100,000"),
        ("nim", {"pile_sizes": "1;2147483647"}, "not 1 to 100,000|OpenSpiel cannot load"),
        ("hex", {"board_size": 0}, "OpenSpiel cannot load 'hex'|has 0 actions"),
        ("mnk", {"m": -3}, "OpenSpiel cannot load 'mnk'|actions, not 1 to"),
    ],
)
def test_parameters_that_make_no_game_are_refused(name: str, options: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        boardgames.load(f"spiel:{name}", **options)


def test_a_large_board_has_texts_for_all_moves() -> None:
    position = boardgames.load("spiel:hex", board_size=40).start()
    assert len({move.text for move in position.legal_moves}) == 1600
