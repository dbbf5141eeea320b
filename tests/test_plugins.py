"""Plug-ins: finding, checking and blocking them, hooks, and loading by name."""

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from waiting import TIMEOUT_S

import boardgames
from boardgames import plugins
from boardgames.errors import OptionError, PluginError, UnknownNameError
from boardgames.game import Game
from boardgames.hookspecs import PROJECT, Entry, hookimpl
from boardgames.players.simple import Greedy
from boardgames.plugins import CORE_PLUGINS, Plugin, Registry
from boardgames_connect4.game import Connect4

CORE_AGENTS = {
    "alphabeta",
    "alphazero",
    "engine",
    "greedy",
    "human",
    "level",
    "mcts",
    "minimax",
    "ntuple",
    "policy",
    "random",
    "td",
}
Maker = Callable[..., EntryPoint]


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Maker:
    """Return a function that makes a plug-in: a module whose hooks return the given values."""

    def make(name: str, module: str = "", summary: str = "made for a test", **returned: Any) -> EntryPoint:
        made = ModuleType(module or f"fake_{name}", summary)
        for hook, value in returned.items():
            setattr(made, hook, implementation(hook, value))
        monkeypatch.setitem(sys.modules, made.__name__, made)
        return EntryPoint(name, made.__name__, PROJECT)

    return make


def implementation(hook: str, value: Any) -> Callable[[], Any]:
    def answer() -> Any:
        if isinstance(value, BaseException):
            raise value
        return value

    answer.__name__ = hook
    return hookimpl(answer)


def game(name: str, target: str = "boardgames_connect4.game:Connect4") -> Entry:
    return Entry(name, "a game", target)


def names(registry: Registry, kind: plugins.Kind, of: str | None = None) -> list[str]:
    return [offer.entry.name for offer in registry.offers(kind, of)]


def by_name(registry: Registry) -> dict[str, Plugin]:
    return {one.name: one for one in registry.plugins}


# --- finding plug-ins --------------------------------------------------------


def test_core_registers_its_agents_like_any_plugin() -> None:
    registry = Registry(points=[])
    assert [one.name for one in registry.plugins] == list(CORE_PLUGINS)
    assert set(names(registry, "agents")) == CORE_AGENTS


def test_installed_plugins_are_found_by_entry_point() -> None:
    assert {"abalone", "connect4", "hexifence"} <= set(names(Registry(blocked=frozenset()), "games"))


def test_offers_are_sorted_by_name(plugin: Maker) -> None:
    registry = Registry([plugin("z", bg_games=[game("b"), game("c")]), plugin("y", bg_games=[game("a")])])
    assert names(registry, "games") == ["a", "b", "c"]


def test_summary_is_the_first_line_of_the_module_docstring(plugin: Maker) -> None:
    registry = Registry([plugin("x", summary="What X adds.\n\nMore.")])
    assert by_name(registry)["x"] == Plugin("x", "", "What X adds.")


def test_plugin_may_offer_nothing(plugin: Maker) -> None:
    assert by_name(Registry([plugin("x", bg_games=None)]))["x"].error is None


def test_blocked_plugin_is_ignored(plugin: Maker) -> None:
    registry = Registry([plugin("x", bg_games=[game("a")])], blocked=frozenset({"x"}))
    assert "x" not in by_name(registry)
    assert names(registry, "games") == []


def test_boardgames_block_disables_plugins(plugin: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_BLOCK", "x, core-players")
    others = CORE_PLUGINS.keys() - {"core-players"}
    assert by_name(Registry([plugin("x"), plugin("y")])).keys() == {"y", *others}


# --- broken plug-ins -------------------------------------------------------

BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("text for a list", {"bg_games": "abalone"}, "bg_games must return a list of entries, not 'abalone'"),
    ("a number", {"bg_agents": 7}, "bg_agents must return a list of entries, not 7"),
    ("strings for entries", {"bg_features": ["x"]}, "bg_features must return entries, not 'x'"),
    (
        "capitals in a name",
        {"bg_games": [game("Go")]},
        "bg_games must be lower-case words, not 'Go'",
    ),
    ("a space in a name", {"bg_games": [game("a b")]}, "must be lower-case words, not 'a b'"),
    ("no text for a name", {"bg_games": [game(5)]}, "must be lower-case words, not 5"),  # type: ignore[arg-type]  # on purpose
    ("no attribute", {"bg_games": [game("a", "m")]}, "must be package.module:attribute, not 'm'"),
    ("a hook that raises", {"bg_learners": ValueError("no\nluck")}, "ValueError: no luck"),
    ("a hook that exits", {"bg_games": SystemExit(3)}, "SystemExit: 3"),
    ("a misspelled hook", {"bg_gamez": []}, "bg_gamez"),
]


@pytest.mark.parametrize(
    ("returned", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
def test_plugin_with_a_broken_hook_is_listed_with_its_error(
    plugin: Maker, returned: dict[str, Any], message: str
) -> None:
    good = plugin("good", bg_games=[game("a-good-game")])
    registry = Registry([plugin("bad", **returned), good])
    error = by_name(registry)["bad"].error
    assert error is not None
    assert message in error
    assert "\n" not in error
    assert names(registry, "games") == ["a-good-game"]
    assert set(names(registry, "agents")) == CORE_AGENTS
    assert by_name(registry)["good"].error is None


@pytest.mark.parametrize(
    "fault",
    [
        "raise ValueError('no luck')",
        "import sys; sys.exit(3)",
        "def",
        "raise GeneratorExit",
        "class Odd(BaseException): pass\nraise Odd",
    ],
)
def test_plugin_that_fails_at_import_is_listed_with_its_error(
    plugin: Maker, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    (tmp_path / "fails_at_import.py").write_text(fault)
    monkeypatch.syspath_prepend(str(tmp_path))
    bad = EntryPoint("bad", "fails_at_import", PROJECT)
    registry = Registry([bad, plugin("good", bg_games=[game("a-good-game")])])
    assert by_name(registry)["bad"].error
    assert names(registry, "games") == ["a-good-game"]


def test_plugin_whose_module_is_missing_is_listed_with_its_error() -> None:
    registry = Registry([EntryPoint("gone", "no_such_module", PROJECT)])
    assert by_name(registry)["gone"].error == "ModuleNotFoundError: No module named 'no_such_module'"


def test_broken_plugin_offers_nothing(plugin: Maker) -> None:
    registry = Registry([plugin("bad", bg_games=[game("a")], bg_agents="rubbish")])
    assert names(registry, "games") == []


def test_hooks_of_a_broken_plugin_are_not_called(plugin: Maker) -> None:
    calls: list[str] = []
    point = plugin("bad", bg_games="rubbish")

    def bg_match_ended() -> None:
        calls.append("ended")

    sys.modules[point.value].bg_match_ended = hookimpl(bg_match_ended)  # type: ignore[attr-defined]  # a made module
    Registry([point]).notify("bg_match_ended", manager=None, outcome=None)
    assert calls == []


def test_what_a_plugin_prints_at_import_goes_to_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prints_at_import.py").write_text("print('hello')\nGame = 5")
    monkeypatch.syspath_prepend(str(tmp_path))
    Registry([EntryPoint("loud", "prints_at_import", PROJECT)])
    assert capsys.readouterr() == ("", "hello\n")


def test_imports_in_two_threads_leave_the_output_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plugin: Maker
) -> None:
    steps = ModuleType("import_steps")
    steps.both, steps.first_is_done = threading.Barrier(2, timeout=TIMEOUT_S), threading.Event()  # type: ignore[attr-defined]  # a made module
    monkeypatch.setitem(sys.modules, "import_steps", steps)
    (tmp_path / "first_import.py").write_text("import import_steps\nimport_steps.both.wait()\nmade = print")
    (tmp_path / "last_import.py").write_text(
        "import import_steps\nimport_steps.both.wait()\nimport_steps.first_is_done.wait()\nmade = print"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    entries = [Entry(name, "", f"{name}_import:made", "connect4") for name in ("first", "last")]
    registry = Registry([plugin("both", bg_features=entries)])
    before = sys.stdout
    with ThreadPoolExecutor(2) as threads:
        first, last = (threads.submit(registry.load, "features", entry.name, "connect4") for entry in entries)
        assert first.result() is print
        steps.first_is_done.set()
        assert last.result() is print
    assert sys.stdout is before


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that installs a distribution with the given files of metadata."""

    def add(**files: bytes) -> None:
        folder = tmp_path / "odd_one-1.0.dist-info"
        folder.mkdir()
        for name, content in files.items():
            (folder / name.replace("__", ".")).write_bytes(content)
        monkeypatch.syspath_prepend(str(tmp_path))

    return add


@pytest.mark.parametrize(
    "content", [b"[boardgames]\nno equals sign", b"\xff\xfe"], ids=["no equals sign", "not UTF-8"]
)
def test_malformed_entry_points_of_one_distribution_do_not_affect_the_others(
    content: bytes, install: Callable[..., None]
) -> None:
    before = Registry(blocked=frozenset())
    install(METADATA=b"Name: odd-one\nVersion: 1.0\nSummary: Odd.\n", entry_points__txt=content)
    registry = Registry(blocked=frozenset())
    odd = by_name(registry)["odd_one"]
    assert (odd.version, odd.summary) == ("1.0", "Odd.")
    assert str(odd.error).startswith("cannot read its entry_points.txt: ")
    assert names(registry, "games") == names(before, "games")


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"", b"Name: odd"], ids=["not UTF-8", "empty", "no version"]
)
def test_malformed_metadata_only_leave_out_the_version(content: bytes, install: Callable[..., None]) -> None:
    install(METADATA=content, entry_points__txt=b"[boardgames]\nodd = boardgames_connect4.view")
    odd = by_name(Registry(blocked=frozenset()))["odd"]
    assert (odd.version, odd.error) == ("", None)


def test_an_entry_point_that_names_no_module_is_an_error(install: Callable[..., None]) -> None:
    install(METADATA=b"Name: odd", entry_points__txt=b"[boardgames]\nodd = a b c")
    error = by_name(Registry(blocked=frozenset()))["odd"].error
    assert error == "the entry point must name a package.module, not 'a b c'"


# --- duplicate names ------------------------------------------------


def test_first_plugin_keeps_a_name_that_is_offered_twice(plugin: Maker) -> None:
    registry = Registry([plugin("first", bg_games=[game("a")]), plugin("second", bg_games=[game("a")])])
    assert by_name(registry)["second"].error == "game 'a' is already offered by 'first'"
    assert [offer.plugin for offer in registry.offers("games")] == ["first"]


def test_plugin_that_reuses_a_name_keeps_its_other_offers(plugin: Maker) -> None:
    repeats = plugin("second", bg_games=[game("a"), game("b")])
    registry = Registry([plugin("first", bg_games=[game("a")]), repeats])
    assert names(registry, "games") == ["a", "b"]


def test_plugin_cannot_replace_an_agent_of_the_core(plugin: Maker) -> None:
    registry = Registry([plugin("x", bg_agents=[Entry("random", "mine", "m:Mine")])])
    assert by_name(registry)["x"].error == "agent 'random' is already offered by 'core-players'"


def test_second_plugin_of_the_same_name_is_an_error(plugin: Maker) -> None:
    points = [plugin("x", "fake_1", bg_games=[game("a")]), plugin("x", "fake_2", bg_games=[game("b")])]
    registry = Registry(points)
    assert [one.error for one in registry.plugins if one.name == "x"] == [
        None,
        "another plug-in has the name 'x'",
    ]
    assert names(registry, "games") == ["a"]


@pytest.mark.parametrize("broken_first", [True, False])
@pytest.mark.parametrize(
    "fault",
    [{"bg_games": "rubbish"}, {"bg_gamez": []}, {"bg_games": SystemExit(3)}],
    ids=lambda fault: str(*fault),
)
def test_broken_plugin_does_not_disable_a_working_one_of_the_same_name(
    plugin: Maker, broken_first: bool, fault: dict[str, Any]
) -> None:
    broken, working = ("fake_1", "fake_2") if broken_first else ("fake_2", "fake_1")
    registry = Registry([plugin("x", broken, **fault), plugin("x", working, bg_games=[game("a")])])
    assert names(registry, "games") == ["a"]
    errors = [one.error for one in registry.plugins if one.name == "x"]
    assert errors.count(None) == 1
    assert len(errors) == 2


TWINS: list[tuple[plugins.Kind, str, str | None, str, str]] = [
    ("games", "a", None, "no_such_module:Game", "boardgames_connect4.game:Connect4"),
    ("games", "a", None, "builtins:dict", "boardgames_connect4.game:Connect4"),
    ("agents", "a", "connect4", "no_such_module:Agent", "boardgames.players.simple:Random"),
    ("agents", "a", None, "builtins:dict", "boardgames.players.simple:Random"),
    ("learners", "a", None, "no_such_module:Learner", "boardgames.learning.td:TemporalDifference"),
    ("features", "a", "connect4", "no_such_module:lines", "boardgames_connect4.features:lines"),
]


@pytest.mark.parametrize("broken_first", [True, False])
@pytest.mark.parametrize(("kind", "name", "of", "broken", "working"), TWINS)
def test_offer_that_cannot_be_loaded_gives_way_to_one_of_the_same_name(
    plugin: Maker,
    broken_first: bool,
    kind: plugins.Kind,
    name: str,
    of: str | None,
    broken: str,
    working: str,
) -> None:
    targets = (broken, working) if broken_first else (working, broken)
    first, second = (
        plugin(who, **{f"bg_{kind}": [Entry(name, "made for a test", target, of)]})
        for who, target in zip(("first", "second"), targets, strict=True)
    )
    registry = Registry([first, second])
    if broken_first:
        with pytest.warns(RuntimeWarning, match=f"{name!r} now comes from the plug-in 'second'"):
            target = registry.load(kind, name, of)
        assert f"{name!r}" in str(by_name(registry)["first"].error)
        assert by_name(registry)["second"].error is None
    else:
        target = registry.load(kind, name, of)
        assert by_name(registry)["first"].error is None
        assert str(by_name(registry)["second"].error).endswith("'a' is already offered by 'first'")
    assert target.__qualname__ == working.partition(":")[2]
    assert registry.load(kind, name, of) is target
    assert [offer.plugin for offer in registry.offers(kind, of) if offer.entry.name == name] == [
        "second" if broken_first else "first"
    ]


def test_game_that_cannot_be_made_gives_way_to_one_of_the_same_name(
    plugin: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unprepared(Connect4):
        def prepare(self) -> None:
            raise ValueError("no board")

    monkeypatch.setattr(sys.modules[__name__], "Unprepared", Unprepared, raising=False)
    broken = plugin("first", bg_games=[game("a", f"{__name__}:Unprepared")])
    registry = Registry([broken, plugin("second", bg_games=[game("a")])])
    monkeypatch.setattr(plugins, "registry", lambda: registry)
    with pytest.warns(RuntimeWarning, match="'a' now comes from the plug-in 'second'"):
        assert type(plugins.load("a")) is Connect4
    assert "no board" in str(by_name(registry)["first"].error)


@pytest.mark.filterwarnings("ignore:first is broken")
def test_two_threads_find_the_same_offer_to_be_broken(plugin: Maker) -> None:
    registry = Registry(
        [
            plugin("first", bg_games=[game("a", f"{__name__}:Connect4")]),
            plugin("second", bg_games=[game("a")]),
        ]
    )
    both = threading.Barrier(2, timeout=TIMEOUT_S)
    tried: list[object] = []

    def make(target: object) -> object:
        tried.append(target)
        if len(tried) <= 2:
            both.wait()
            raise PluginError("first is broken")
        return target

    with ThreadPoolExecutor(2) as threads:
        made = [threads.submit(registry.make, "games", "a", None, make) for _ in range(2)]
        assert [one.result() for one in made] == [Connect4, Connect4]


def test_wrong_option_does_not_make_a_game_give_way(plugin: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry([plugin(name, bg_games=[game("a")]) for name in ("first", "second")])
    monkeypatch.setattr(plugins, "registry", lambda: registry)
    with pytest.raises(OptionError):
        plugins.load("a", columns=1000)
    assert [offer.plugin for offer in registry.offers("games")] == ["first"]


def own_and_general(plugin: Maker) -> Registry:
    entries: Sequence[Entry] = [
        Entry("greedy", "for one game", "m:Own", game="abalone"),
        Entry("patient", "for one game", "m:Own", game="abalone"),
    ]
    return Registry([plugin("x", bg_agents=entries)])


def test_agent_for_one_game_takes_precedence(plugin: Maker) -> None:
    offers = own_and_general(plugin).offers("agents", "abalone")
    assert [offer.plugin for offer in offers if offer.entry.name == "greedy"] == ["x"]


def test_agent_for_one_game_does_not_affect_other_games(plugin: Maker) -> None:
    offers = own_and_general(plugin).offers("agents", "connect4")
    assert [offer.plugin for offer in offers if offer.entry.name == "greedy"] == ["core-players"]


def test_agent_for_one_game_is_not_offered_to_others(plugin: Maker) -> None:
    registry = own_and_general(plugin)
    assert "patient" in names(registry, "agents", "abalone")
    assert "patient" not in names(registry, "agents", "connect4")


# --- registering in this process ------------------------------------------


class Patient(Greedy):
    """An agent as a notebook defines one."""

    name = "patient"


class Demanding(Patient):
    """An agent with an argument of its own."""

    def __init__(self, game: Game, *, patience: float, seed: int | None = None) -> None:
        super().__init__(game, seed=seed)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """Return a registry that the functions of the module use."""
    registry = Registry()
    monkeypatch.setattr(plugins, "_registry", lambda: registry)
    return registry


def test_a_registered_game_and_agent_are_loaded_by_name(fresh: Registry) -> None:
    class Small(Connect4):
        """A game as a notebook defines one."""

    fresh.register("games", "small", Small)
    fresh.register("agents", "patient", Patient, summary="waits")
    loaded = boardgames.load("small", columns=5)
    assert type(loaded) is Small
    assert type(boardgames.load_player("patient", loaded, seed=1)) is Patient
    assert [one.entry.summary for one in fresh.offers("agents") if one.entry.name == "patient"] == ["waits"]
    assert fresh.is_registered_here("agents", "patient", "connect4")
    assert not fresh.is_registered_here("agents", "greedy", "connect4")


def test_registering_again_replaces_what_was_registered(fresh: Registry) -> None:
    class Changed(Greedy):
        """The agent of a cell that was run again."""

        name = "patient"

    fresh.register("agents", "patient", Patient)
    fresh.register("agents", "patient", Changed)
    assert type(boardgames.load_player("patient", boardgames.load("connect4"))) is Changed


def test_a_function_that_makes_a_player_is_an_agent(fresh: Registry) -> None:
    fresh.register("agents", "made", lambda game, *, seed: Patient(game, seed=seed), game="connect4")
    assert type(boardgames.load_player("made", boardgames.load("connect4"), seed=3)) is Patient
    with pytest.raises(UnknownNameError):
        boardgames.load_player("made", boardgames.load("hexifence"))
    with pytest.raises(OptionError, match="agent 'made' has no option 'depth'"):
        boardgames.load_player("made:depth=3", boardgames.load("connect4"))


def test_a_function_that_makes_something_else_is_named(fresh: Registry) -> None:
    fresh.register("agents", "made", lambda game, *, seed: 7)
    with pytest.raises(PluginError, match="agent 'made' must make a Player, not 7"):
        boardgames.load_player("made", boardgames.load("connect4"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("agents", "greedy", Patient),
            "agent 'greedy' is already offered by 'core-players'; choose another",
        ),
        (("agents", "patient", int), "agent 'patient' is not a subclass of Player"),
        (("agents", "patient", 7), "agent 'patient' is not a subclass of Player: 7"),
        (
            ("agents", "made", lambda game: Patient(game, seed=1)),
            r"agent 'made' must be callable with a game and the keyword seed .*'seed'\)$",
        ),
        (
            ("agents", "patient", Demanding),
            r"agent 'patient' must be callable with a game and the keyword seed .*'patience'\)$",
        ),
        (("games", "patient", Patient), "game 'patient' is not a subclass of Game"),
        (("agents", "No Name", Patient), "must be lower-case words, not 'No Name'"),
        (("agent", "patient", Patient), "there is no kind 'agent'; did you mean 'agents'"),
    ],
)
def test_what_cannot_be_registered_is_refused(fresh: Registry, arguments: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        fresh.register(*arguments)
    assert type(boardgames.load_player("greedy", boardgames.load("connect4"))) is Greedy


def test_details_of_what_is_registered_must_be_texts(fresh: Registry) -> None:
    with pytest.raises(PluginError, match="summary and game must be texts, not None and 3"):
        fresh.register("agents", "patient", Patient, summary=None, game=3)  # type: ignore[arg-type]
    with pytest.raises(PluginError, match="agent 'patient' is not a subclass of Player: <player patient>"):
        fresh.register("agents", "patient", Patient(boardgames.load("connect4")))


# --- loading by name ------------------------------------------------------


def test_unknown_name_raises_with_suggestions(plugin: Maker) -> None:
    registry = Registry([plugin("x", bg_games=[game("abalone")])])
    with pytest.raises(UnknownNameError) as caught:
        registry.load("games", "abalon")
    assert str(caught.value) == "no such game 'abalon'; did you mean 'abalone'?"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("no_such_module:Game", "cannot import 'a' from no_such_module:Game: ModuleNotFoundError"),
        ("boardgames.game:NoSuchGame", "cannot import 'a' from boardgames.game:NoSuchGame: AttributeError"),
    ],
    ids=["no module", "no attribute"],
)
def test_offer_that_cannot_be_imported_raises_and_names_the_plugin(
    plugin: Maker, target: str, message: str
) -> None:
    registry = Registry([plugin("x", bg_games=[game("a", target)])])
    with pytest.raises(PluginError, match=rf"plug-in 'x': {message}"):
        registry.load("games", "a")


def test_check_targets_records_failing_imports(plugin: Maker) -> None:
    registry = Registry([plugin("x", bg_games=[game("a", "no_such_module:Game")])])
    reported: list[tuple[str, int, int]] = []
    registry.check_targets(lambda name, done, total: reported.append((name, done, total)))
    assert "cannot import 'a'" in str(by_name(registry)["x"].error)
    assert ("x", 0, len(reported)) == reported[0]
    assert [done for _, done, _ in reported] == list(range(len(reported)))
    assert by_name(registry)["core-players"].error is None


def test_first_recorded_error_stays(plugin: Maker) -> None:
    registry = Registry([plugin("x")])
    registry.record_error("x", "first")
    registry.record_error("x", "second")
    assert by_name(registry)["x"].error == "first"


@pytest.fixture
def installed(plugin: Maker, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """Install a registry whose plug-in offers things of the wrong types."""
    made = Registry(
        [
            plugin(
                "wrong",
                bg_games=[game("wrong", "builtins:dict")],
                bg_agents=[Entry("wrong", "no player", "builtins:dict")],
                bg_features=[Entry("wrong", "no feature set", "builtins:repr")],
                bg_learners=[Entry("wrong", "no learner", "builtins:dict")],
            ),
            plugin("right", bg_games=[game("connect4")]),
        ]
    )
    monkeypatch.setattr(plugins, "registry", lambda: made)
    return made


def test_game_of_the_wrong_type_raises(installed: Registry) -> None:
    with pytest.raises(PluginError, match="game 'wrong' is not a subclass of Game"):
        plugins.load("wrong")


@pytest.mark.parametrize("make", [plugins.load_player, plugins.load_features, plugins.load_learner])
def test_offers_of_the_wrong_type_raise(installed: Registry, make: Callable[..., object]) -> None:
    with pytest.raises(PluginError, match=r"is not a (subclass of )?(Player|FeatureSet|Learner): "):
        make("wrong", plugins.load("connect4"))


def test_check_targets_records_offers_of_the_wrong_type(installed: Registry) -> None:
    installed.check_targets()
    assert "game 'wrong' is not a subclass of Game" in str(by_name(installed)["wrong"].error)


def test_player_is_loaded_from_an_agent_text() -> None:
    assert repr(boardgames.load_player("alphabeta:depth=2", boardgames.load("connect4"))) == (
        "<player alphabeta:depth=2>"
    )


def test_unknown_agent_raises_with_suggestions() -> None:
    with pytest.raises(UnknownNameError, match="connect4 has no agent 'alphabet'; did you mean 'alphabeta'"):
        boardgames.load_player("alphabet", boardgames.load("connect4"))


def test_unknown_option_of_an_agent_raises_with_suggestions() -> None:
    with pytest.raises(OptionError, match="agent 'alphabeta' has no option 'dept'; did you mean 'depth'"):
        boardgames.load_player("alphabeta:dept=3", boardgames.load("connect4"))


def test_unknown_layout_raises_with_suggestions() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'standard'"):
        boardgames.load("abalone", layout="standart")


@pytest.mark.parametrize("of", [0, False, [], 5])
def test_game_of_an_entry_must_be_a_name(plugin: Maker, of: Any) -> None:
    registry = Registry([plugin("odd", bg_agents=[Entry("mine", "x", "os:path", of)])])
    assert "must be lower-case words" in str(by_name(registry)["odd"].error)


@pytest.mark.parametrize("summary", [5, b"x", ["x"]])
def test_docstring_that_is_not_text_is_ignored(plugin: Maker, summary: Any) -> None:
    point = plugin("odd", bg_games=[game("mine")])
    sys.modules[point.module].__doc__ = summary
    assert by_name(Registry([point]))["odd"].summary == ""


class UnprintableError(Exception):
    """An exception whose `__str__` fails."""

    def __str__(self) -> str:
        raise RuntimeError


def test_error_without_a_message_is_listed_by_its_class(plugin: Maker) -> None:
    registry = Registry([plugin("odd", bg_games=UnprintableError())])
    assert by_name(registry)["odd"].error == "UnprintableError"


def test_target_that_exits_on_import_raises(
    plugin: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "exits_on_import.py").write_text("raise SystemExit(7)")
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry([plugin("odd", bg_games=[game("mine", "exits_on_import:Game")])])
    with pytest.raises(PluginError, match="SystemExit: 7"):
        registry.load("games", "mine")


class Raises(Connect4):
    def prepare(self) -> None:
        raise ZeroDivisionError


class Exits(Connect4):
    def prepare(self) -> None:
        raise SystemExit(4)


class WithoutOptions(Connect4):
    declared_options = None  # type: ignore[assignment]  # wrong on purpose


@pytest.mark.parametrize("broken", [Raises, Exits, WithoutOptions])
def test_game_that_fails_to_initialise_raises(
    broken: type, plugin: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = plugin("odd", bg_games=[game("mine", "fake_odd:made")])
    monkeypatch.setattr(sys.modules["fake_odd"], "made", broken, raising=False)
    monkeypatch.setattr(plugins, "registry", lambda: Registry([point]))
    with pytest.raises(PluginError, match="game 'mine' is broken"):
        plugins.load("mine")


@pytest.mark.parametrize("attribute", ["facts", "kernels", "evaluation"])
def test_game_with_a_declaration_of_the_wrong_type_raises(
    attribute: str, plugin: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(self: Connect4) -> None:
        Connect4.prepare(self)
        setattr(self, attribute, SimpleNamespace(layouts={}))

    point = plugin("odd", bg_games=[game("mine", "fake_odd:made")])
    made = type("Mine", (Connect4,), {"prepare": prepare})
    monkeypatch.setattr(sys.modules["fake_odd"], "made", made, raising=False)
    monkeypatch.setattr(plugins, "registry", lambda: Registry([point]))
    with pytest.raises(PluginError, match=f"game 'mine' is broken: {attribute} must be of type "):
        plugins.load("mine")


def test_agent_that_fails_to_initialise_raises(plugin: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    connect4 = boardgames.load("connect4")
    point = plugin("odd", bg_agents=[Entry("mine", "x", "boardgames.player:Player")])
    monkeypatch.setattr(plugins, "registry", lambda: Registry([point]))
    with pytest.raises(PluginError, match="agent 'mine' is broken"):
        plugins.load_player("mine", connect4)


@pytest.mark.parametrize("name", [5, ["abalone"], None, "x" * 10**6], ids=["number", "list", "none", "long"])
def test_game_name_must_be_text(name: Any) -> None:
    with pytest.raises(UnknownNameError) as caught:
        boardgames.load(name)
    assert len(str(caught.value)) < 200


def test_message_of_an_unknown_name_mentions_broken_plugins(plugin: Maker) -> None:
    registry = Registry(points=[plugin("nim", bg_games=ImportError("no stones"))])
    with pytest.raises(UnknownNameError, match=r"\(broken plug-ins, see `boardgames plugins`: nim\)$"):
        registry.load("games", "nim")


# --- what entries need --------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "agents", "learners"),
    [
        ("abalone", {"td", "ntuple"}, {"td", "evolve", "ntuple"}),
        ("connect4", {"td", "ntuple", "value-iteration"}, {"td", "evolve", "ntuple", "value-iteration"}),
        ("hexifence", {"td"}, {"td", "evolve"}),
        ("bare", set(), set()),
    ],
)
def test_only_what_a_game_can_use_is_offered_for_it(
    plugin: Maker, of: str, agents: set[str], learners: set[str]
) -> None:
    registry = Registry([*plugins._installed_plugins()[0], plugin("bare", bg_games=[game("bare")])])
    assert set(names(registry, "agents", of)) & {"td", "ntuple", "value-iteration"} == agents
    assert set(names(registry, "learners", of)) & {"td", "evolve", "ntuple", "value-iteration"} == learners
    assert names(registry, "experiments", "bare") == []


def test_what_is_missing_is_named_with_the_hook_that_adds_it(plugin: Maker) -> None:
    registry = Registry([plugin("bare", bg_games=[game("bare")])])
    message = (
        "bare has no features, which the learner 'td' needs; plug-ins offer them through the hook bg_features"
    )
    with pytest.raises(UnknownNameError, match=message):
        registry.load("learners", "td", "bare")


def test_an_agent_for_one_game_may_need_patterns_that_the_game_offers(plugin: Maker) -> None:
    patterns = Entry("cells", "patterns", "x:y", "bare")
    agent = Entry("patient", "waits", "x:y", "bare", needs=("patterns",))
    without = Registry([plugin("bare", bg_games=[game("bare")], bg_agents=[agent])])
    having = Registry([plugin("bare", bg_games=[game("bare")], bg_agents=[agent], bg_patterns=[patterns])])
    assert "patient" not in names(without, "agents", "bare")
    assert "patient" in names(having, "agents", "bare")


@pytest.mark.parametrize("load", [boardgames.load_player, boardgames.load_learner, boardgames.load_features])
def test_the_name_of_a_game_instead_of_the_game_raises(load: Callable[..., object]) -> None:
    with pytest.raises(
        OptionError, match="a game must be a Game, not 'connect4'; use load to get one by name"
    ):
        load("td", "connect4")


@pytest.mark.parametrize("needs", ["features", ("books",), None])
def test_unknown_needs_are_an_error_of_the_plugin(plugin: Maker, needs: Any) -> None:
    registry = Registry([plugin("x", bg_agents=[Entry("a", "b", "c:d", needs=needs)])])
    assert "needs must be a tuple of 'features', 'patterns'" in (by_name(registry)["x"].error or "")
