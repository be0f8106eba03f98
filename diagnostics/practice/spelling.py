"""How a trainer spells a setting, and the whole option as it is typed on its command line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

SWITCHES = frozenset({"argparse", "tyro"})  # styles in which an option of yes or no takes no value


@dataclass(frozen=True)
class Spelling:
    """Names of settings as one trainer, with one strategy, knows them; asked for by INRIA's name or by its own."""

    style: str = "argparse"  # argparse (INRIA), tyro (gsplat), tyro-values (nerfstudio), clap (Brush, OpenSplat, LichtFeld)
    names: Mapping[str, str] = field(default_factory=dict)  # INRIA's or own name -> own name
    lacks: frozenset[str] = frozenset()  # known not to exist, or to be ignored
    per: Mapping[str, str] = field(default_factory=dict)  # its option counts in so many of another setting
    other_unit: Mapping[str, str] = field(default_factory=dict)  # not in INRIA's unit where this switch is on; "": never
    spelled: Mapping[str, str] = field(default_factory=dict)  # own name -> option, where they differ
    spelled_true: Mapping[str, str] = field(default_factory=dict)  # what "true" is called where it is no switch
    on_command_line: frozenset[str] | None = None  # own names; None: all of them
    otherwise: str = ""  # where the others go, with {name} and {value}

    def knows(self, setting: str) -> bool:
        return setting in self.names and setting not in self.lacks

    def name(self, setting: str) -> str:
        """Its own name. Raises KeyError where it is not known to have the setting."""
        if setting in self.lacks:
            raise KeyError(setting)
        return self.names[setting]

    def flag(self, setting: str, value: Any = None, every: float | None = None, own: str = "") -> str:
        """The whole option, such as "--densify_grad_threshold 0.0004"; without a value only its name.

        `every`: the value of the setting that this one is counted in (see `per`); without it only the name is told.
        `own`: the name that the run's version of the trainer gave it. Raises KeyError where the setting is not known.
        """
        known = self.name(setting)
        own = known if setting in self.per or not own else own
        told = self._counted(setting, value, every)
        told = self.spelled_true.get(setting, told) if told is True else told
        if self.on_command_line is not None and own not in self.on_command_line:
            return self.otherwise.format(name=own, value="…" if told is None else _json(told))
        return self._option(self.spelled.get(own, own), told)

    def _counted(self, setting: str, value: Any, every: float | None) -> Any:
        if setting not in self.per or isinstance(value, bool) or not isinstance(value, int | float):
            return value
        return max(1, round(value / every)) if every else None

    def _option(self, name: str, value: Any) -> str:
        option = name if self.style == "argparse" else name.replace("_", "-")
        if isinstance(value, bool) and self.style in SWITCHES:
            return self._switch(option, value)
        return f"--{option}" if value is None else f"--{option} {_plain(value)}"

    def _switch(self, option: str, value: bool) -> str:
        if value:
            return f"--{option}"
        if self.style == "argparse":
            return f"without --{option}"
        group, dot, last = option.rpartition(".")
        return f"--{group}{dot}no-{last}"


def _plain(value: Any) -> str:
    """A number without an exponent, a list as its parts, all else as it is."""
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    return " ".join(_plain(part) for part in value) if isinstance(value, list | tuple) else str(value)


def _json(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else _plain(value)
