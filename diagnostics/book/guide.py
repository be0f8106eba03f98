"""The guide: what to watch, in which order to ask, what to tune; read from resources/guide, each row with what is often said."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from diagnostics.book.trials import known_probes
from diagnostics.catalogue import CatalogueError, Source

VERDICTS = ("right", "depends", "wrong", "inverted", "no source", "not checked", "not applicable")
ROW_KEYS = frozenset(("topic", "seed_says", "verdict", "we_say", "why", "patterns", "probes", "sources"))
STEP_KEYS = frozenset(("asks", "seed_says", "we_say", "sources", "answers"))
ANSWER_KEYS = frozenset(("says", "go", "do", "patterns", "probes"))
PAGE_KEYS = frozenset(("title", "about", "place", "rows", "steps", "start"))


@dataclass(frozen=True)
class Row:
    """One line of a table: what is often said, what we say, why, and which patterns judge it."""

    topic: str
    we_say: str
    seed_says: str = ""  # empty: nobody says anything about it
    verdict: str = ""  # one of VERDICTS, about what is often said
    why: str = ""
    patterns: tuple[str, ...] = ()  # codes
    probes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class Answer:
    """One branch: to another question, or to what settles it."""

    says: str
    go: str = ""  # key of the next question
    do: str = ""
    patterns: tuple[str, ...] = ()  # codes
    probes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One question of the decision tree."""

    asks: str
    answers: tuple[Answer, ...]
    seed_says: str = ""
    we_say: str = ""
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class GuidePage:
    """One page: rows, or a tree of questions that begins at `start`."""

    name: str
    title: str
    about: str
    place: int  # in the order of reading
    rows: tuple[Row, ...] = ()
    steps: Mapping[str, Step] | None = None
    start: str = ""

    @property
    def file(self) -> str:
        return f"guide-{self.name}.html"

    @property
    def codes(self) -> frozenset[str]:
        """Codes of every pattern that the page names."""
        answers = [answer for step in (self.steps or {}).values() for answer in step.answers]
        named = [*(row.patterns for row in self.rows), *(answer.patterns for answer in answers)]
        return frozenset(code for codes in named for code in codes)


Guide = Mapping[str, GuidePage]


@cache
def load_guide() -> Guide:
    """Every page by name, in the order of reading. Raises CatalogueError."""
    folder = files("resources") / "guide"
    told = {entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text("utf-8"))
            for entry in folder.iterdir() if entry.name.endswith(".toml")}
    known = {key: Source(**source) for key, source in told.pop("sources").items()}
    pages = [parse_page(name, entries, known) for name, entries in told.items()]
    return {page.name: page for page in sorted(pages, key=lambda page: page.place)}


def pages_naming(codes: Iterable[str], guide: Guide) -> tuple[GuidePage, ...]:
    """Pages that name one of these patterns."""
    wanted = frozenset(codes)
    return tuple(page for page in guide.values() if page.codes & wanted)


def parse_page(name: str, told: Mapping[str, Any], known: Mapping[str, Source]) -> GuidePage:
    """A page from its TOML; `known` are the sources that it may name.

    Raises CatalogueError where it is half written or its questions lead nowhere.
    """
    _known(name, told, PAGE_KEYS, ("title", "about", "place"))
    rows = tuple(_row(f"{name}.rows[{i}]", entry, known) for i, entry in enumerate(told.get("rows", ())))
    steps = {key: _step(f"{name}.{key}", entry, known) for key, entry in told.get("steps", {}).items()} or None
    page = GuidePage(name, told["title"], told["about"], told["place"], rows, steps, told.get("start", ""))
    _check_tree(page)
    return page


def walked(page: GuidePage) -> Iterator[str]:
    """Keys of the questions that are reached from the start."""
    steps = page.steps or {}
    waiting = [page.start] if steps else []
    seen: set[str] = set()
    while waiting:
        key = waiting.pop(0)
        if key not in seen:
            seen.add(key)
            yield key
            waiting += [answer.go for answer in steps[key].answers if answer.go]


def _row(where: str, entry: Mapping[str, Any], known: Mapping[str, Source]) -> Row:
    _known(where, entry, ROW_KEYS, ("topic", "we_say"))
    if "seed_says" in entry and entry.get("verdict") not in VERDICTS:
        raise CatalogueError(f"{where}: 'verdict' is '{entry.get('verdict')}', must be one of {', '.join(VERDICTS)}")
    return Row(**{**entry, **_named(where, entry), "sources": _sources(where, entry, known)})


def _step(where: str, entry: Mapping[str, Any], known: Mapping[str, Source]) -> Step:
    _known(where, entry, STEP_KEYS, ("asks", "answers"))
    answers = tuple(_answer(f"{where}.answers[{i}]", told) for i, told in enumerate(entry["answers"]))
    return Step(**{**entry, "answers": answers, "sources": _sources(where, entry, known)})


def _answer(where: str, entry: Mapping[str, Any]) -> Answer:
    _known(where, entry, ANSWER_KEYS, ("says",))
    if not (entry.keys() & {"go", "patterns", "probes", "do"}):
        raise CatalogueError(f"{where}: the answer leads to nothing")
    return Answer(**{**entry, **_named(where, entry)})


def _named(where: str, entry: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    for name in entry.get("probes", ()):
        if name not in known_probes():
            raise CatalogueError(f"{where}: 'probes' names '{name}', which nobody describes")
    return {key: tuple(entry.get(key, ())) for key in ("patterns", "probes")}


def _sources(where: str, entry: Mapping[str, Any], known: Mapping[str, Source]) -> tuple[Source, ...]:
    names = entry.get("sources", ())
    for name in names:
        if name not in known:
            raise CatalogueError(f"{where}: 'sources' names '{name}', which sources.toml does not hold")
    return tuple(known[name] for name in names)


def _known(where: str, entry: Mapping[str, Any], known: frozenset[str], required: tuple[str, ...]) -> None:
    for key in entry:
        if key not in known:
            raise CatalogueError(f"{where}: unknown key '{key}'")
    for key in required:
        if key not in entry or entry[key] == "":
            raise CatalogueError(f"{where}: '{key}' is missing")


def _check_tree(page: GuidePage) -> None:
    steps = page.steps or {}
    asked = [answer.go for step in steps.values() for answer in step.answers if answer.go]
    for key in (*asked, *([page.start] if steps else [])):
        if key not in steps:
            raise CatalogueError(f"{page.name}: a question leads to '{key}', which is not asked")
    if set(walked(page)) != set(steps):
        raise CatalogueError(f"{page.name}: never reached: {', '.join(sorted(set(steps) - set(walked(page))))}")
