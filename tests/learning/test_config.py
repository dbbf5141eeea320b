"""Config: valid and invalid files, and that a complete configuration can be used again."""

import os
import sys
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training import walker as walker  # noqa: PLC0414 - a fixture

from boardgames.errors import FileError, OptionError, UnknownNameError
from boardgames.learning.config import MAX_BYTES, Config
from boardgames.plugins import registry

Walk = Callable[..., Config]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)


def test_config_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('game = "connect4"\nlayout = "7x6"\nseed = 4\n[settings]\nalpha = 0.05\nsteps = 3\n')
    learner = Config.read(path).load()
    assert (learner.game.layout, learner.options["alpha"], learner.options["steps"]) == ("7x6", 0.05, 3)


def test_overrides_replace_values_and_merge_tables() -> None:
    text = 'game = "abalone"\nseed = 4\n[options]\nrows = 5\n[settings]\nalpha = 0.05\nsteps = 3\n'
    config = Config.parse(text, game="connect4", seed=None, options={"columns": "6"}, settings={"steps": "2"})
    assert (config.game, config.seed) == ("connect4", 4)
    assert config.options == {"rows": 5, "columns": "6"}
    assert config.settings == {"alpha": 0.05, "steps": "2"}


@pytest.mark.parametrize("learner", [offer.entry.name for offer in registry().offers("learners", "connect4")])
def test_complete_config_of_every_learner_can_be_used_again(learner: str) -> None:
    needed = {"agent": "mcts:simulations=2", "ranges": "exploration=0.1:5"} if learner == "tune" else {}
    config = Config("connect4", learner, options={"rows": 5}, settings=needed)
    loaded = config.load()
    complete = config.completed(loaded)
    text = complete.as_toml(loaded)
    again = Config.parse(text)
    learner_again = again.load()
    assert again.completed(learner_again) == complete
    assert learner_again.options == loaded.settings
    content = tomllib.loads(text)
    assert content["seed"] == complete.seed
    assert content["options"] == {"columns": 7, "rows": 5}
    assert set(content["settings"]) == {
        name for name, value in complete.settings.items() if value is not None
    }


def test_complete_config_explains_each_setting() -> None:
    loaded = Config("connect4").load()
    text = Config("connect4").completed(loaded).as_toml(loaded)
    assert "alpha = 0.1 # learning rate\n" in text
    assert 'features = "lines" # feature set' in text  # the default's name


def test_settings_without_a_value_are_comments(walker: Walk) -> None:
    loaded = walker().load()
    assert "# fails is not set: step that raises\n" in walker().completed(loaded).as_toml(loaded)


@settings(max_examples=40)
@given(st.dictionaries(TEXTS, TEXTS | NUMBERS), st.dictionaries(TEXTS, NUMBERS))
def test_any_name_text_and_number_is_read_as_it_was_written(
    options: dict[str, object], values: dict[str, object]
) -> None:
    config = Config("a game", "a\x7f\n'learner'", seed=2**63 - 1, options=options, settings=values)
    assert Config.parse(config.as_toml()) == config


def test_missing_seed_is_drawn() -> None:
    config = Config("connect4")
    loaded = config.load()
    assert config.completed(loaded).seed != config.completed(loaded).seed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "config does not name a game"),
        ("game = ", "config is not valid TOML: "),
        ("a = " + "[" * 10_000, "config is not valid TOML: "),
        ('game = "connect4"\nlerner = "td"', "unknown key 'lerner'; did you mean 'learner'"),
        ("game = 4", "game must be a name, not 4"),
        ('game = "connect4"\nlearner = ""', "learner must be a name, not ''"),
        ('game = "connect4"\nlayout = 1', "layout must be a name, not 1"),
        ('game = "connect4"\nseed = -1', "seed.*-1"),
        ('game = "connect4"\nseed = 1.5', r"seed.*1\.5"),
        ('game = "connect4"\nseed = "1"', "seed must be .*, not '1'"),
        ("seed = " + "1" * 5000, "config is not valid TOML: "),
        ("seed = 0x" + "1" * 5000 + '\ngame = "connect4"', "seed.* a value of type int"),
        ("a." * 1000 + "a=1", "unknown key 'a'"),
        ("a." * (MAX_BYTES // 2 - 2) + "a=1", "a line with more than 1,000 dots"),
        ("# " + "a" * MAX_BYTES, "config is too long: at most 65,536 bytes"),
        ('game = "connect4"\nsettings = 3', "settings in config must be a table, not 3"),
    ],
)
def test_bad_config_is_rejected(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words) as caught:
        Config.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('game = "conect4"', "did you mean 'connect4'"),
        ('game = "connect4"\nlearner = "tdd"', "'tdd'; did you mean 'td'"),
        ('game = "connect4"\n[settings]\nalfa = 0.1', "no option 'alfa'; did you mean 'alpha'"),
        ('game = "connect4"\n[settings]\nalpha = true', "alpha.*True"),
        ('game = "connect4"\n[settings]\nalpha = 2026-01-01', "alpha"),
        ('game = "connect4"\n[options]\nrow = 5', "no option 'row'; did you mean 'rows'"),
        ('game = "connect4"\n[options]\nlayout = "standard"', "layout is not an option of the game"),
        ('game = "connect4"\nlayout = "nowhere"', "no .*layout 'nowhere'"),
    ],
)
def test_config_unknown_to_game_or_learner_is_rejected(text: str, words: str) -> None:
    with pytest.raises((OptionError, UnknownNameError), match=words):
        Config.parse(text).load()


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="nowhere"):
        Config.read(tmp_path / "nowhere.toml")


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_config_may_come_from_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=('game = "connect4"\n',))
    writer.start()
    assert Config.read(pipe).game == "connect4"
    writer.join()
