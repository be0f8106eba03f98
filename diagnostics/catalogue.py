"""The catalogue: TOML entries of resources/catalogue as Pattern values; a half-written entry is refused."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, get_args

from diagnostics.verdict import LAYERS, Kind, Layer, Severity


class CatalogueError(Exception):
    """An entry of the catalogue is incomplete or contradicts another; the sentence names the entry and the key."""


@dataclass(frozen=True)
class Source:
    """Where a claim or a limit comes from."""

    title: str
    url: str


@dataclass(frozen=True)
class CatalogueFix:
    """A fix as the catalogue words it; `when` narrows it to a trainer. Texts may quote a finding's facts as {name}."""

    do: str
    expect: str
    setting: str = ""
    when: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)  # trainer, strategy: one name or several
    proposed: Any = None  # the new value of `setting`, or "{name}" of a fact that holds it
    risk: str = ""  # what it may cost
    falsified_by: str = ""  # what would show that this was not the cause
    within: int | None = None  # iterations of training after which the expected outcome should show


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
    probe: str = ""  # name of the probe that settles it where no file can
    layer: Layer = "statistics"  # what kind of evidence decides it; earlier layers explain later ones
    also: tuple[str, ...] = ()  # codes of the literature that this pattern covers as well
    look_alikes: Mapping[str, str] = field(default_factory=dict)  # name of another pattern -> how to tell the two apart
    uncertain: bool = False
    panel: str = "viewport"
    colour_by: str = "rgb"


REQUIRED = ("code", "title", "severity", "kind", "symptom", "cause", "fixes", "sources")
OPTIONAL_TEXTS = ("seed_says", "we_say", "manual", "probe")
KNOWN = frozenset((*REQUIRED, *OPTIONAL_TEXTS, "limits", "leads_to", "uncertain", "look", "layer", "look_alikes", "also"))
FIX_KEYS = frozenset(("do", "expect", "setting", "when", "to", "risk", "falsified_by", "within"))


@cache
def load_catalogue() -> Mapping[str, Pattern]:
    """Every pattern by name, in file order. Raises CatalogueError."""
    folder = files("resources") / "catalogue"
    texts = [entry.read_text("utf-8") for entry in sorted(folder.iterdir(), key=lambda e: e.name) if entry.name.endswith(".toml")]
    return parse_catalogue(texts)


def parse_catalogue(texts: Iterable[str]) -> Mapping[str, Pattern]:
    """Patterns from TOML documents, checked one by one and against each other. Raises CatalogueError."""
    patterns: dict[str, Pattern] = {}
    for text in texts:
        for name, entry in _document(text).items():
            if name in patterns:
                raise CatalogueError(f"{name} is described twice")
            patterns[name] = _pattern(name, entry)
    _check_codes(patterns)
    _check_consequences(patterns)
    _check_look_alikes(patterns)
    return MappingProxyType(patterns)


def causes_of(name: str, patterns: Mapping[str, Pattern]) -> frozenset[str]:
    """Names of the patterns that lead to `name`, directly or through others."""
    direct = {other for other, pattern in patterns.items() if name in pattern.leads_to}
    return frozenset(direct.union(*(causes_of(other, patterns) for other in direct)))


def _document(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"a catalogue file is not valid TOML: {error}") from error


def _pattern(name: str, entry: Any) -> Pattern:
    _check_keys(name, entry, KNOWN, REQUIRED)
    look = entry.get("look", {})
    _check_keys(f"{name}.look", look, frozenset(("panel", "colour_by")), ())
    return Pattern(
        name, _text(name, entry, "code"), _text(name, entry, "title"),
        _one_of(name, entry, "severity", get_args(Severity)), _one_of(name, entry, "kind", get_args(Kind)),
        _text(name, entry, "symptom"), _text(name, entry, "cause"), _texts(name, entry, "limits"),
        tuple(_fix(f"{name}.fixes[{i}]", fix) for i, fix in enumerate(_some(name, entry, "fixes"))),
        tuple(_source(f"{name}.sources[{i}]", source) for i, source in enumerate(_some(name, entry, "sources"))),
        leads_to=tuple(entry.get("leads_to", ())), also=tuple(entry.get("also", ())),
        uncertain=bool(entry.get("uncertain", False)),
        layer=_one_of(name, {"layer": "statistics", **entry}, "layer", LAYERS), look_alikes=_texts(name, entry, "look_alikes"),
        **{key: _text(name, entry, key) for key in OPTIONAL_TEXTS if key in entry},
        **{key: _text(f"{name}.look", look, key) for key in look},
    )


def _fix(where: str, entry: Any) -> CatalogueFix:
    _check_keys(where, entry, FIX_KEYS, ("do", "expect"))
    when = entry.get("when", {})
    _check_keys(f"{where}.when", when, frozenset(("trainer", "strategy")), ())
    if "to" in entry and "setting" not in entry:
        raise CatalogueError(f"{where}: 'to' proposes a value, but 'setting' does not say of what")
    return CatalogueFix(
        _text(where, entry, "do"), _text(where, entry, "expect"), entry.get("setting", ""),
        {key: tuple(value) if isinstance(value, list) else value for key, value in when.items()}, entry.get("to"),
        within=entry.get("within"), **{key: _text(where, entry, key) for key in ("risk", "falsified_by") if key in entry},
    )


def _source(where: str, entry: Any) -> Source:
    _check_keys(where, entry, frozenset(("title", "url")), ("title",))
    return Source(_text(where, entry, "title"), entry.get("url", ""))


def _texts(name: str, entry: Mapping[str, Any], key: str) -> Mapping[str, str]:
    """A table of sentences, such as the reasons of limits."""
    table = entry.get(key, {})
    if not isinstance(table, dict):
        raise CatalogueError(f"{name}: '{key}' must be a table of sentences")
    return {inner: _text(f"{name}.{key}", table, inner) for inner in table}


def _check_keys(where: str, entry: Any, known: frozenset[str], required: tuple[str, ...]) -> None:
    if not isinstance(entry, dict):
        raise CatalogueError(f"{where}: must be a table")
    for key in entry:
        if key not in known:
            raise CatalogueError(f"{where}: unknown key '{key}'")
    for key in required:
        if key not in entry:
            raise CatalogueError(f"{where}: '{key}' is missing")


def _text(where: str, entry: Mapping[str, Any], key: str) -> str:
    value = entry[key]
    if not isinstance(value, str) or not value.strip():
        raise CatalogueError(f"{where}: '{key}' must say something")
    return value


def _one_of(where: str, entry: Mapping[str, Any], key: str, allowed: tuple[str, ...]) -> Any:
    if entry[key] not in allowed:
        raise CatalogueError(f"{where}: '{key}' is '{entry[key]}', must be one of {', '.join(allowed)}")
    return entry[key]


def _some(where: str, entry: Mapping[str, Any], key: str) -> list[Any]:
    value = entry[key]
    if not isinstance(value, list) or not value:
        raise CatalogueError(f"{where}: '{key}' must hold at least one entry")
    return value


def _check_codes(patterns: Mapping[str, Pattern]) -> None:
    owner: dict[str, str] = {}
    for name, pattern in patterns.items():
        for code in (pattern.code, *pattern.also):
            if code in owner:
                raise CatalogueError(f"{name}: 'code' {code} is already used by {owner[code]}")
            owner[code] = name


def _check_consequences(patterns: Mapping[str, Pattern]) -> None:
    """`leads_to` names patterns that exist and never comes back to its start."""
    for name, pattern in patterns.items():
        for led in pattern.leads_to:
            if led not in patterns:
                raise CatalogueError(f"{name}: 'leads_to' names '{led}', which the catalogue does not hold")
    for name in patterns:
        _refuse_cycle(name, patterns, ())


def _check_look_alikes(patterns: Mapping[str, Pattern]) -> None:
    for name, pattern in patterns.items():
        for other in pattern.look_alikes:
            if other not in patterns or other == name:
                raise CatalogueError(f"{name}: 'look_alikes' names '{other}', which the catalogue does not hold")


def _refuse_cycle(name: str, patterns: Mapping[str, Pattern], path: tuple[str, ...]) -> None:
    if name in path:
        raise CatalogueError(f"{name}: 'leads_to' comes back to itself: {' -> '.join((*path, name))}")
    for led in patterns[name].leads_to:
        _refuse_cycle(led, patterns, (*path, name))
