"""Completion of games, agents, layouts, runs and options of games and agents in bash, zsh and fish.

It uses click's mechanism: arguments and options have functions that complete
their values. The scripts for the shells are click's with two changes: bash
passes on the whole word, which it would otherwise split at `:` and `=`, and no
shell adds a space after a word that ends with `=`.
"""

import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from boardgames.cli.program import COMPLETION_VARIABLE, PROGRAM, SHORT_NAME
from boardgames.faults import must_propagate

if TYPE_CHECKING:
    from boardgames.game import Game
    from boardgames.options import Option

Items = list[CompletionItem]
Completer = Callable[[click.Context, click.Parameter, str], Items]

BASH = r"""
%(complete_func)s() {
    local line="${COMP_LINE:0:COMP_POINT}" breaks="" rest response completion type value
    local typed="${line##*[[:space:]]}"
    [[ $COMP_WORDBREAKS == *:* ]] && breaks+=":"
    [[ $COMP_WORDBREAKS == *=* ]] && breaks+="="
    rest="$typed"
    [[ -n $breaks ]] && rest="${typed##*[$breaks]}"
    response=$(env COMP_WORDS="$line" COMP_CWORD="$typed" %(complete_var)s=bash_complete %(program)s)
    COMPREPLY=()
    local IFS=$'\n'
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        if [[ $type == dir ]]; then
            compopt -o dirnames
        elif [[ $type == file ]]; then
            compopt -o default
        elif [[ $type == plain ]]; then
            COMPREPLY+=("${value#"${typed%%"$rest"}"}")
            [[ $value == *= ]] && compopt -o nospace
        fi
    done
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

ZSH = r"""
#compdef %(prog_name)s

%(complete_func)s() {
    local -a plain described open response
    local type key descr
    whence -p %(program)s > /dev/null || return 1
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
        %(complete_var)s=zsh_complete %(program)s)}")
    for type key descr in ${response}; do
        if [[ "$type" == dir ]]; then
            _path_files -/
        elif [[ "$type" == file ]]; then
            _path_files -f
        elif [[ "$type" != plain ]]; then
            continue
        elif [[ "$key" == *= ]]; then
            open+=("$key":"$descr")
        elif [[ "$descr" == "_" ]]; then
            plain+=("$key")
        else
            described+=("$key":"$descr")
        fi
    done
    [ -n "$open" ] && _describe -V unsorted open -U -S ''
    [ -n "$described" ] && _describe -V unsorted described -U
    [ -n "$plain" ] && compadd -U -V unsorted -a plain
    return 0
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

FISH = r"""
function %(complete_func)s
    set -l response (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \
        COMP_CWORD=(commandline -t) %(program)s)
    for completion in $response
        set -l metadata (string split -m 1 "," -- $completion)
        if test "$metadata[1]" = dir
            __fish_complete_directories $metadata[2]
        else if test "$metadata[1]" = file
            __fish_complete_path $metadata[2]
        else if test "$metadata[1]" = plain
            echo $metadata[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


# --- shells ------------------------------------------------------------------


class _Bash(BashComplete):
    source_template = BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that word."""
        return _words()


class _Zsh(ZshComplete):
    source_template = ZSH


class _Fish(FishComplete):
    source_template = FISH

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that word."""
        return _words()


def completion_code(group: click.Group, shell: str, program: str) -> str:
    """Return code for a shell that completes `boardgames` and `bg`.

    Parameters
    ----------
    program : str
        Name or path of the program that the code runs to get completions.
    """
    register_shells()
    found = get_completion_class(shell)
    assert found is not None
    parts = []
    for name in (PROGRAM, SHORT_NAME):
        completion = found(group, {}, name, COMPLETION_VARIABLE)
        parts.append(found.source_template % {**completion.source_vars(), "program": shlex.quote(program)})
    return "\n".join(parts)


def register_shells() -> None:
    """Make click use the scripts of this module."""
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)


def _words() -> tuple[list[str], str]:
    """Return the words of the line before the cursor except the last one, and the last word."""
    words = split_arg_string(os.environ.get("COMP_WORDS", ""))[1:]
    last = "".join(split_arg_string(os.environ.get("COMP_CWORD", ""))[:1])
    return (words[:-1] if last and words[-1:] == [last] else words), last


# --- values ------------------------------------------------------------------


def _quietly(complete: Completer) -> Completer:
    """Return a completer that returns nothing if the given one raises an exception."""

    @wraps(complete)
    def safe(context: click.Context, parameter: click.Parameter, text: str) -> Items:
        try:
            return complete(context, parameter, text)
        except BaseException as error:  # a shell that completes a word cannot show errors
            if must_propagate(error):
                raise
            return []

    return safe


@_quietly
def complete_game(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the games."""
    return _offers("games", text)


@_quietly
def complete_agent(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the agents that play the game or, after a colon, the options of the agent."""
    name, colon, rest = text.partition(":")
    if not colon:
        return _agents(context, text)
    from boardgames.plugins import registry

    before, comma, last = rest.rpartition(",")
    given = {assignment.partition("=")[0] for assignment in before.split(",")}
    declared = registry().load("agents", name, _game_name(context)).declared_options
    left = [option for option in declared if option.name not in given]
    return _assignments(left, last, f"{name}:{before}{comma}", context)


@_quietly
def complete_agent_name(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the agents that play the game."""
    return _agents(context, text)


@_quietly
def complete_learner(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the learners, of the game if the command line names one."""
    return _offers("learners", text, _game_name(context) if "game_name" in context.params else None)


@_quietly
def complete_experiment(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the experiments of the game."""
    return _offers("experiments", text, _game_name(context))


@_quietly
def complete_setting(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the options of the learner or experiment."""
    from boardgames.plugins import registry

    game, given = _game_name(context), context.params
    if "learner_name" in given:
        learner = given["learner_name"] or ("evolve" if given.get("evolves") else "td")
        declared = registry().load("learners", learner, game).declared_options
    else:
        name = given["name"] or context.args[1]
        declared = registry().load("experiments", name, game).declared_options
    return _assignments(declared, text, "", context)


@_quietly
def complete_layout(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the layouts of the game."""
    return _starting_with(text, dict.fromkeys(_game(context).layout_names, ""))


@_quietly
def complete_notation(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the notations of the game: of moves and, where a position can be given, of positions."""
    facts = _game(context).facts
    has_position = any(one.name == "position_text" for one in context.command.params)
    names = (*facts.move_notations, *(facts.position_notations if has_position else ()))
    return _starting_with(text, dict.fromkeys(names, ""))


@_quietly
def complete_game_option(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the options of the game."""
    from boardgames.plugins import registry

    name = _game_name(context)
    return (
        []
        if name is None
        else _assignments(registry().load("games", name).declared_options, text, "", context)
    )


@_quietly
def complete_run(context: click.Context, parameter: click.Parameter, text: str) -> Items:
    """Return the training runs."""
    from boardgames.weights.lookup import run_names

    return _starting_with(text, dict.fromkeys(run_names(), ""))


def _game_name(context: click.Context) -> str | None:
    """Return the game that the command line names, or None if it does not name one yet."""
    name = context.params.get("game_name") or context.params.get("game")
    # while the last option has no value, click leaves the arguments unread
    return str(name) if name else next(iter(context.args), None)


def _game(context: click.Context) -> "Game":
    from boardgames.plugins import load

    return load(_game_name(context) or "")


def _agents(context: click.Context, text: str) -> Items:
    from boardgames.weights.lookup import usable_agents

    game = _game_name(context)
    if game is None:
        return _offers("agents", text)
    agents = {offer.entry.name: offer.entry.summary for offer in usable_agents(game)}
    return _starting_with(text, agents)


def _offers(kind: Any, text: str, game: str | None = None) -> Items:  # a `Kind`, which is imported late
    from boardgames.plugins import registry

    return _starting_with(
        text, {offer.entry.name: offer.entry.summary for offer in registry().offers(kind, game)}
    )


def _assignments(options: "Iterable[Option]", text: str, prefix: str, context: click.Context) -> Items:
    """Return `NAME=` for each option or, after the equals sign, the values of the option."""
    name, equals, _ = text.partition("=")
    if not equals:
        return _starting_with(
            prefix + text, {f"{prefix}{option.name}=": option.summary for option in options}
        )
    values = next((_values(option, context) for option in options if option.name == name), [])
    return _starting_with(prefix + text, dict.fromkeys((f"{prefix}{name}={value}" for value in values), ""))


def _values(option: "Option", context: click.Context) -> list[str]:
    """Return the values of an option that can be listed."""
    if option.kind is bool:
        return ["true", "false"]
    if option.role == "weights" and _game_name(context) is not None:
        from boardgames.weights.lookup import usable_names

        return usable_names(_game(context))
    if option.role == "network" and (game := _game_name(context)) is not None:
        from boardgames.weights.lookup import network_names

        return network_names(game)
    if option.role == "run":
        from boardgames.weights.lookup import run_names

        return run_names()
    return [str(choice) for choice in option.choices]


def _starting_with(text: str, words: Mapping[str, str]) -> Items:
    """Return the words that start with a text, with their descriptions."""
    return [
        CompletionItem(word, help=about or None) for word, about in words.items() if word.startswith(text)
    ]
