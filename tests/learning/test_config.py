"""Config: what is read, what is refused, and that a complete one can be given again."""

import os
import sys
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training import walker as walker  # noqa: PLC0414 - a fixture

from boardgames.errors import FileError, OptionError, UnknownNameError
from boardgames.learning.config import LARGEST_CONFIG, Config, settings_of
from boardgames.plugins import registry

Walk = Callable[..., Config]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)


def test_a_file_says_what_is_trained(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('game = "abalone"\nlayout = "standard"\nseed = 4\n[settings]\nalpha = 0.05\nsteps = 3\n')
    learner = Config.read(path).load()
    assert (learner.game.layout, learner.options["alpha"], learner.options["steps"]) == ("standard", 0.05, 3)


def test_what_is_given_besides_comes_before_the_file() -> None:
    text = 'game = "abalone"\nseed = 4\n[options]\nrows = 5\n[settings]\nalpha = 0.05\nsteps = 3\n'
    found = Config.parse(text, game="connect4", seed=None, options={"columns": "6"}, settings={"steps": "2"})
    assert (found.game, found.seed) == ("connect4", 4)
    assert found.options == {"rows": 5, "columns": "6"}
    assert found.settings == {"alpha": 0.05, "steps": "2"}


@pytest.mark.parametrize("learner", [offer.entry.name for offer in registry().offers("learners", "connect4")])
def test_a_complete_config_of_every_learner_can_be_given_again(learner: str) -> None:
    config = Config("connect4", learner, options={"rows": 5})
    loaded = config.load()
    complete = config.completed(loaded)
    text = complete.as_toml(loaded)
    again = Config.parse(text)
    assert again.completed(again.load()) == complete
    assert again.load().options == settings_of(loaded)
    told = tomllib.loads(text)
    assert told["seed"] == complete.seed
    assert told["options"] == {"columns": 7, "rows": 5}
    assert set(told["settings"]) == {name for name, value in complete.settings.items() if value is not None}


def test_a_complete_config_says_what_each_setting_means() -> None:
    loaded = Config("connect4").load()
    text = Config("connect4").completed(loaded).as_toml(loaded)
    assert "alpha = 0.1  # learning rate\n" in text
    assert 'features = "lines"  # feature set' in text  # the name of those that are learned


def test_what_is_not_set_is_told_too(walker: Walk) -> None:
    loaded = walker().load()
    assert "# fails is not set: step that raises\n" in walker().completed(loaded).as_toml(loaded)


@given(st.dictionaries(TEXTS, TEXTS | NUMBERS), st.dictionaries(TEXTS, NUMBERS))
def test_any_name_text_and_number_is_read_as_it_was_written(
    options: dict[str, object], settings: dict[str, object]
) -> None:
    config = Config("a game", "a\x7f\n'learner'", seed=2**63 - 1, options=options, settings=settings)
    assert Config.parse(config.as_toml()) == config


def test_seeds_that_are_not_given_are_drawn() -> None:
    config = Config("connect4")
    loaded = config.load()
    assert config.completed(loaded).seed != config.completed(loaded).seed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a game: config names none"),
        ("game = ", "expected TOML in config: "),
        ("a = " + "[" * 10_000, "expected TOML in config: "),
        ('game = "connect4"\nlerner = "td"', "unknown key 'lerner'; did you mean 'learner'"),
        ("game = 4", "expected the name of a game: 4"),
        ('game = "connect4"\nlearner = ""', "expected the name of a learner: ''"),
        ('game = "connect4"\nlayout = 1', "expected the name of a layout: 1"),
        ('game = "connect4"\nseed = -1', "for seed: -1"),
        ('game = "connect4"\nseed = 1.5', "for seed: 1.5"),
        ('game = "connect4"\nseed = "1"', "for seed: '1'"),
        ("seed = " + "1" * 5000, "expected TOML in config: "),
        ("seed = 0x" + "1" * 5000 + '\ngame = "connect4"', "for seed: a value of type int"),
        ("a." * 1000 + "a=1", "unknown key 'a'"),
        ("a." * (LARGEST_CONFIG // 2 - 2) + "a=1", "expected at most 1,000 dots a line"),
        ("# " + "a" * LARGEST_CONFIG, "expected at most 65,536 bytes in config"),
        ('game = "connect4"\nsettings = 3', r"expected a table \[settings\] in config: 3"),
    ],
)
def test_what_is_no_config_is_refused(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words) as caught:
        Config.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('game = "conect4"', "did you mean 'connect4'"),
        ('game = "connect4"\nlearner = "tdd"', "'tdd'; did you mean 'td'"),
        ('game = "connect4"\n[settings]\nalfa = 0.1', "no option 'alfa'; did you mean 'alpha'"),
        ('game = "connect4"\n[settings]\nalpha = true', "for alpha: True"),
        ('game = "connect4"\n[settings]\nalpha = 2026-01-01', "for alpha: "),
        ('game = "connect4"\n[options]\nrow = 5', "no option 'row'; did you mean 'rows'"),
        ('game = "connect4"\n[options]\nlayout = "standard"', "a layout beside the options: 'standard'"),
        ('game = "connect4"\nlayout = "nowhere"', "no layout 'nowhere'"),
    ],
)
def test_what_game_and_learner_do_not_know_is_refused(text: str, words: str) -> None:
    with pytest.raises((OptionError, UnknownNameError), match=words):
        Config.parse(text).load()


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="nowhere"):
        Config.read(tmp_path / "nowhere.toml")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX systems")
def test_a_pipe_may_say_what_is_trained(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=('game = "connect4"\n',))
    writer.start()
    assert Config.read(pipe).game == "connect4"
    writer.join()
