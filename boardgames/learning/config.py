"""Config: what is trained and how, as a TOML file that can be read, completed and given again."""

import json
import re
import secrets
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from boardgames.errors import FileError, OptionError, near, shown
from boardgames.learner import Learner
from boardgames.learning.base import FEATURES, FeatureLearner
from boardgames.options import Option, OptionValue
from boardgames.plugins import load, load_learner

DEFAULT_LEARNER = "td"
LARGEST_SEED = 2**63 - 1
"""TOML has no larger whole numbers."""
LARGEST_CONFIG = 1 << 16
"""Bytes, so that no text takes long to read."""
MOST_DOTS = 1000
"""Of a line: the time that keys of many parts take grows with the square of their number."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Config:
    r"""What is trained and how.

    Attributes
    ----------
    game, learner : str
        Names.
    seed : int or None
        None for one that is drawn.
    layout : str or None
        None for the game's first.
    options : mapping
        The game's, values or texts; what is left out has its default.
    settings : mapping
        The learner's, likewise.

    Raises
    ------
    OptionError
        If a value is of another kind.

    Examples
    --------
    >>> config = Config.parse('game = "connect4"\n[settings]\nalpha = 0.05')
    >>> config.game, config.learner, config.settings
    ('connect4', 'td', {'alpha': 0.05})
    """

    game: str
    learner: str = DEFAULT_LEARNER
    seed: int | None = None
    layout: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("game", "learner"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise OptionError(f"expected the name of a {name}: {shown(value)}")
        if self.layout is not None and not isinstance(self.layout, str):
            raise OptionError(f"expected the name of a layout: {shown(self.layout)}")
        if isinstance(self.seed, str):  # where it is typed, it has been read
            raise OptionError(f"expected {SEED.expectation()} for seed: {shown(self.seed)}")
        SEED.read(self.seed)

    @classmethod
    def read(cls, path: Path, **instead: object) -> "Config":
        """Return the config of a file, or of a pipe; see `parse`."""
        try:
            with path.open("rb") as file:
                text = file.read(LARGEST_CONFIG + 1).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise FileError(f"expected a file of UTF-8 text: {path}") from None
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise FileError(f"expected a readable file: {path} ({reason})") from None
        return cls.parse(text, str(path), **instead)

    @classmethod
    def parse(cls, text: str, source: str = "config", **instead: object) -> "Config":
        """Return the config that a text of TOML describes.

        Parameters
        ----------
        text : str
            Keys as the attributes, `[options]` and `[settings]` tables.
        source : str
            Where it stands, for messages.
        instead : keywords
            Attributes that come before those of the text; tables are joined, and what is None is left out.

        Raises
        ------
        OptionError
            If it is no TOML or too long, a key is unknown (the message names
            near ones), or a value is of another kind.
        """
        given: dict[str, Any] = dict(_table(text, source))  # of whatever kinds
        known = [part.name for part in fields(cls)]
        for key in given:
            if key not in known:
                raise OptionError(f"{source} has an unknown key {shown(key)}{near(key, known)}")
        for name in TABLES:
            if not isinstance(given.get(name, {}), dict):
                raise OptionError(f"expected a table [{name}] in {source}: {shown(given[name])}")
            added = instead.pop(name, None) or {}
            assert isinstance(added, Mapping)
            given[name] = {**given.get(name, {}), **added}
        given |= {name: value for name, value in instead.items() if value is not None}
        if "game" not in given:
            raise OptionError(f"expected a game: {source} names none")
        return cls(**given)

    def load(self) -> Learner:
        """Return the learner, its game loaded.

        Raises
        ------
        UnknownNameError, OptionError, PluginError
            If a name or setting is unknown, has a bad value, or a plug-in is broken.
        """
        if "layout" in self.options:
            raise OptionError(f"expected a layout beside the options: {shown(self.options['layout'])}")
        game = load(self.game, layout=self.layout, **self.options)
        return load_learner(self.learner, game, **self.settings)

    def completed(self, loaded: Learner) -> "Config":
        """Return it with every default of its learner and game, and with a seed."""
        return replace(
            self,
            seed=secrets.randbits(32) if self.seed is None else self.seed,
            layout=loaded.game.layout or None,
            options=dict(loaded.game.options),
            settings=settings_of(loaded),
        )

    def as_toml(self, loaded: Learner | None = None) -> str:
        """Return the text that `parse` reads, with what each option means if the learner is given."""
        head = {"game": self.game, "layout": self.layout, "learner": self.learner, "seed": self.seed}
        lines = [f"{name} = {_value(value)}" for name, value in head.items() if value is not None]
        declared = ((), ()) if loaded is None else (loaded.game.declared_options, loaded.declared_options)
        for name, values, options in zip(TABLES, (self.options, self.settings), declared, strict=True):
            if values:
                lines += ["", f"[{name}]", *_settings(values, options)]
        return "\n".join(lines) + "\n"


def settings_of(learner: Learner) -> dict[str, OptionValue]:
    """Return the options of a learner, with the features that it learns where none were named.

    Examples
    --------
    >>> settings_of(Config("connect4").load())["features"]
    'lines'
    """
    settings = dict(learner.options)
    if isinstance(learner, FeatureLearner) and FEATURES.name in settings:
        settings[FEATURES.name] = learner.features.name
    return settings


TABLES = ("options", "settings")
SEED = Option("seed", int, None, "decides all chance", minimum=0, maximum=LARGEST_SEED)


def _table(text: str, source: str) -> dict[str, object]:
    if len(text.encode(errors="replace")) > LARGEST_CONFIG:
        raise OptionError(f"expected at most {LARGEST_CONFIG:,} bytes in {source}: it has more")
    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise OptionError(f"expected at most {MOST_DOTS:,} dots a line in {source}: it has more")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of numbers with thousands of digits too
        raise OptionError(f"expected TOML in {source}: {str(error).lower()}") from None


def _settings(values: Mapping[str, object], declared: Sequence[Option]) -> Iterator[str]:
    """Yield a line for each setting, those that are not set as comments: TOML has no word for that."""
    summaries = {option.name: option.summary for option in declared}
    for name, value in values.items():
        key = name if _BARE_KEY.fullmatch(name) else _value(name)
        line = f"# {key} is not set" if value is None else f"{key} = {_value(value)}"
        summary = " ".join(summaries.get(name, "").split())
        yield f"{line}{': ' if value is None else '  # '}{summary}" if summary else line


def _value(value: object) -> str:
    r"""Return a text, number or truth value as TOML has it.

    Examples
    --------
    >>> print(_value('say "a"'), _value(True), _value(1e-05), _value(3))
    "say \"a\"" true 1e-05 3
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else repr(value)
