"""Config: what to train and how, read from and written to a TOML file.

In a complete config all defaults and the seed are filled in, so that training
from it again gives the same result.
"""

import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import tomlkit

from boardgames.errors import OptionError, UnknownNameError, quote, suggest
from boardgames.game import Game
from boardgames.learner import Learner
from boardgames.options import Option
from boardgames.paths import read_text
from boardgames.plugins import load, load_learner

DEFAULT_LEARNER = "td"
DEFAULT_PRESET = "default"
TABLES = ("options", "settings")
SWEEP = "sweep"
MAX_COMBINATIONS = 1000
MAX_BYTES = 1 << 16
MAX_DOTS_PER_LINE = 1000
"""Limited because the time to parse a dotted key grows with the square of the number of its parts."""
SEED = Option("seed", int, None, "seed of all randomness", minimum=0, maximum=2**63 - 1)
"""The option `seed` of every run; its maximum is that of TOML's 64-bit integers."""
TARGET = Option("target", float, None, "value of the learning curve at which training ends")


@dataclass(frozen=True, slots=True)
class Config:
    r"""What to train, and how.

    Attributes
    ----------
    game, learner : str
        Names of the game and of the learner.
    seed : int or None
        If None, a seed is drawn at random.
    layout : str or None
        None for the game's first layout.
    options : mapping
        The game's options, as values or text; missing ones take their defaults.
    settings : mapping
        The learner's options, as values or text; missing ones come from the preset, except that `layout`
        takes precedence over a preset's `layouts`.
    preset : str or None
        Name of the preset among the game's `Facts.presets`; None for `default`.
    target : float or None
        Training ends as soon as the learner's curve reaches this value; None for never.

    Raises
    ------
    OptionError
        If a value has the wrong type.

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
    preset: str | None = None
    target: float | None = None

    def __post_init__(self) -> None:
        for name in ("game", "learner"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise OptionError(f"{name} must be a name, not {quote(value)}")
        if self.layout is not None and not isinstance(self.layout, str):
            raise OptionError(f"layout must be a name, not {quote(self.layout)}")
        if self.preset is not None and not isinstance(self.preset, str):
            raise OptionError(f"preset must be a name, not {quote(self.preset)}")
        if isinstance(self.seed, str):  # the command line has already converted its seed to a number
            raise OptionError(f"seed must be an integer, not {quote(self.seed)}")
        SEED.read(self.seed)
        TARGET.read(self.target)

    @classmethod
    def read(cls, path: Path, **overrides: object) -> "Config":
        """Return the config in a file; see `parse`.

        Raises FileError if it cannot be read, and OptionError if it describes a sweep.
        """
        text = read_text(path, limit=MAX_BYTES)
        if SWEEP in _parse_toml(text, str(path)):
            raise OptionError(f"{path} describes a sweep, not a single run")
        return cls.parse(text, str(path), **overrides)

    @classmethod
    def parse(cls, text: str, source: str = "config", **overrides: object) -> "Config":
        """Return the config that a TOML text describes, ignoring its table `[sweep]` (see `read_sweep`).

        Parameters
        ----------
        text : str
            Keys are the attributes; `[options]` and `[settings]` are tables.
        source : str
            Name of the text in error messages.
        overrides : keywords
            Attributes that replace those of the text, unless they are None; tables are merged.

        Raises
        ------
        OptionError
            If the text is not TOML or too long, a key is unknown (the message
            suggests similar ones), or a value has the wrong type.
        """
        values: dict[str, Any] = dict(_parse_toml(text, source))  # TOML values
        values.pop(SWEEP, None)
        known = [part.name for part in fields(cls)]
        for key in values:
            if key not in known:
                raise OptionError(f"{source} has an unknown key {quote(key)}{suggest(key, known)}")
        for name in TABLES:
            if not isinstance(values.get(name, {}), dict):
                raise OptionError(f"{name} in {source} must be a table, not {quote(values[name])}")
            added = overrides.pop(name, None) or {}
            assert isinstance(added, Mapping)
            values[name] = {**values.get(name, {}), **added}
        values |= {name: value for name, value in overrides.items() if value is not None}
        if "game" not in values:
            raise OptionError(f"{source} does not name a game")
        return cls(**values)

    def load(self) -> Learner:
        """Return the learner with its game loaded.

        Raises
        ------
        UnknownNameError, OptionError, PluginError
            If a name or setting is unknown, a value is invalid, or a plug-in is broken.
        """
        if "layout" in self.options:
            raise OptionError(
                f"layout is not an option of the game: write layout = {quote(self.options['layout'])} "
                "above the tables"
            )
        game = load(self.game, layout=self.layout, **self.options)
        settings = dict(preset_settings(game, self.preset, self.learner))
        if self.layout is not None:
            settings.pop("layouts", None)
        return load_learner(self.learner, game, **{**settings, **self.settings})

    def completed(self, learner: Learner) -> "Config":
        """Return the config with the defaults of its loaded learner and game, and with a seed."""
        return replace(
            self,
            seed=secrets.randbits(32) if self.seed is None else self.seed,
            layout=learner.game.layout or None,
            options=dict(learner.game.options),
            settings=learner.settings,
            preset=None,
        )

    def as_toml(self, learner: Learner | None = None) -> str:
        """Return the text that `parse` reads; with the loaded learner, comments explain the settings."""
        document = tomlkit.document()
        for name in ("game", "layout", "learner", "preset", "seed", "target"):
            if getattr(self, name) is not None:
                document.add(name, getattr(self, name))
        declared = ((), ()) if learner is None else (learner.game.declared_options, learner.declared_options)
        for name, values, options in zip(TABLES, (self.options, self.settings), declared, strict=True):
            if values:
                document.add(name, _table(values, options))
        return tomlkit.dumps(document)


def read_sweep(path: Path) -> list[dict[str, str]]:
    """Return all combinations of the values in a file's table `[sweep]`, or an empty list without a table.

    Each key of the table has a list of values. It is a setting of the learner, or `learner`, `preset` or
    `layout`. The last key varies fastest.

    Raises
    ------
    OptionError
        If the file is not TOML, a key of the table does not have a list of values, or there are too
        many combinations.
    FileError
        If the file cannot be read.
    """
    table = _parse_toml(read_text(path, limit=MAX_BYTES), str(path)).get(SWEEP)
    if table is None:
        return []
    if not isinstance(table, dict) or not table:
        raise OptionError(f"{SWEEP} in {path} must be a table with a list of values for each setting")
    for name, values in table.items():
        if not isinstance(values, list) or not values:
            raise OptionError(f"{name} in the sweep of {path} must be a list of values, not {quote(values)}")
        for value in values:
            if not isinstance(value, str | int | float):  # bool is an int
                raise OptionError(
                    f"the values of {name} in the sweep of {path} must be strings, numbers or booleans, "
                    f"not {quote(value)}"
                )
    count = prod(len(values) for values in table.values())
    if count > MAX_COMBINATIONS:
        raise OptionError(
            f"the sweep of {path} has {count:,} combinations; at most {MAX_COMBINATIONS:,} are possible"
        )
    texts = [[_as_text(value) for value in values] for values in table.values()]
    return [dict(zip(table, chosen, strict=True)) for chosen in product(*texts)]


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def preset_settings(game: Game, name: str | None, learner: str) -> Mapping[str, object]:
    """Return the settings of a game's preset for a learner or an experiment.

    Parameters
    ----------
    name : str or None
        None for the preset `default`; it may be missing or have no settings for the learner.
    learner : str
        Name of the learner or experiment.

    Raises
    ------
    UnknownNameError
        If the game has no preset with that name, or the preset has no settings for the learner.

    Examples
    --------
    >>> preset_settings(load("connect4"), None, "td")
    {}
    """
    presets = game.facts.presets
    if name is not None and name not in presets:
        raise UnknownNameError(f"no such preset {quote(name)} for {game.facts.name}{suggest(name, presets)}")
    if name is not None and learner not in presets[name]:
        raise UnknownNameError(
            f"the preset {quote(name)} of {game.facts.name} has no settings for {quote(learner)}; "
            f"it has them for {', '.join(presets[name])}"
        )
    return presets.get(DEFAULT_PRESET if name is None else name, {}).get(learner, {})


def _parse_toml(text: str, source: str) -> dict[str, object]:
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise OptionError(f"{source} is too long: at most {MAX_BYTES:,} bytes are allowed")
    if any(line.count(".") > MAX_DOTS_PER_LINE for line in text.splitlines()):
        raise OptionError(f"{source} has a line with more than {MAX_DOTS_PER_LINE:,} dots")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for numbers with thousands of digits
        reason = str(error)
        raise OptionError(f"{source} is not valid TOML: {reason[:1].lower()}{reason[1:]}") from None


def _table(values: Mapping[str, object], declared: Sequence[Option]) -> tomlkit.items.Table:
    """Return a table of settings; those without a value, which TOML cannot express, are comments."""
    summaries = {option.name: " ".join(option.summary.split()) for option in declared}
    table = tomlkit.table()
    for name, value in values.items():
        summary = summaries.get(name, "")
        if value is None:
            table.add(tomlkit.comment(f"{name} is not set: {summary}"))
            continue
        item = tomlkit.item(value)
        if summary:
            item.comment(summary)
        table.add(name, item)
    return table
