"""The catalogue: TOML entries of resources/catalogue as Pattern values; a half-written entry is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from diagnostics.verdict import Kind, Severity


@dataclass(frozen=True)
class Source:
    """Where a claim or a limit comes from."""

    title: str
    url: str


@dataclass(frozen=True)
class CatalogueFix:
    """A fix as the catalogue words it; `when` narrows it to a trainer."""

    do: str
    expect: str
    setting: str = ""
    when: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pattern:
    """One failure pattern: name, prose, limits with reasons, fixes, sources."""

    name: str  # the failure, in kebab-case; one name in code, prose and tests
    code: str  # "AF-06", "N-11", "CK-1"
    title: str
    severity: Severity
    kind: Kind
    symptom: str
    cause: str
    limits: Mapping[str, str]  # limit name -> why this number
    fixes: tuple[CatalogueFix, ...]
    sources: tuple[Source, ...]
    seed_says: str = ""  # kept where the seed is wrong, so that a reader sees why we differ
    we_say: str = ""
    leads_to: tuple[str, ...] = ()  # names of patterns that this one explains
    manual: str = ""  # how to see it where no file can reveal it
    uncertain: bool = False
    panel: str = "viewport"
    colour_by: str = "rgb"
