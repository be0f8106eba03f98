"""Settings of the trainer, each with the file it came from; a default that was not stored says so."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

NOT_STORED = "trainer default, not stored"


@dataclass(frozen=True)
class Setting:
    """One setting under the trainer's own spelling."""

    name: str
    value: Any  # str, int, float, bool, None, or a list or dict of these
    source: str  # file name, or NOT_STORED

    @property
    def stored(self) -> bool:
        return self.source != NOT_STORED


@dataclass(frozen=True)
class Settings(Mapping[str, Setting]):
    """Settings by name; `value()` is the short way to one of them.

    They can also be asked for by the names in `aliases`, which iterating does not show: what is found then tells its own name.
    """

    by_name: Mapping[str, Setting] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)  # another trainer's spelling -> this trainer's

    def __getitem__(self, name: str) -> Setting:
        return self.by_name[name if name in self.by_name else self.aliases.get(name, name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def value(self, name: str) -> Any:
        """The value, or None where the run does not hold it."""
        setting = self.get(name)
        return None if setting is None else setting.value

    def with_defaults(self, defaults: Mapping[str, Any]) -> "Settings":
        """These settings, and each default that is not among them marked as not stored."""
        unstored = {name: Setting(name, value, NOT_STORED) for name, value in defaults.items()}
        return Settings({**unstored, **self.by_name}, self.aliases)
