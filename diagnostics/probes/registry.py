"""Probes, declared by their functions; what they ask, need and cannot say stands in resources/probes."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, TypeVar

from diagnostics.catalogue import CatalogueError, Source
from diagnostics.probes.answer import Answer
from diagnostics.probes.bench import Bench
from diagnostics.registry import contract

Function = TypeVar("Function", bound=Callable[..., Answer])
REQUIRED = ("title", "question", "how", "needs", "does_not_say", "settles", "sources")
KNOWN = frozenset((*REQUIRED, "order", "limits", "uncertain"))


@dataclass(frozen=True)
class Workload:
    """What a probe will do, for the estimate of its cost before it starts."""

    steps: int  # pictures of one view with loss and gradients
    draws: int  # pictures of one view alone
    gaussians: int
    size_px: tuple[int, int]
    seconds: float = 0.0  # beside these
    at_least: bool = False  # the number of Gaussians will grow


@dataclass(frozen=True)
class Probe:
    """One question: its function, its limits, and the work that it expects at a bench."""

    name: str
    ask: Callable[..., Answer]  # (bench) -> Answer; raises OutOfReach and Cancelled
    limits: Mapping[str, Any]
    workload: Callable[[Bench], Workload]


@dataclass(frozen=True)
class Page:
    """What a reader is told about a probe."""

    name: str
    order: int  # place in lists; the first to try first
    title: str
    question: str
    how: str
    needs: str
    does_not_say: str
    settles: tuple[str, ...]  # names of patterns
    limits: Mapping[str, str]  # limit -> why this number
    sources: tuple[Source, ...]
    uncertain: bool = False


PROBES: dict[str, Probe] = {}


def probe(name: str, workload: Callable[[Bench], Workload]) -> Callable[[Function], Function]:
    """Register a probe. Its only positional parameter is the bench; keyword-only ones are its limits."""

    def register(ask: Function) -> Function:
        if name in PROBES:
            raise TypeError(f"{name} is registered twice")
        PROBES[name] = Probe(name, ask, contract(ask, ("bench",))[2], workload)
        return ask

    return register


@cache
def pages() -> Mapping[str, Page]:
    """Every probe's page by name, in the order in which they should be tried. Raises CatalogueError."""
    folder = files("resources") / "probes"
    found = [_page(entry.name.removesuffix(".toml"), tomllib.loads(entry.read_text("utf-8")))
             for entry in folder.iterdir() if entry.name.endswith(".toml")]
    return MappingProxyType({page.name: page for page in sorted(found, key=lambda page: (page.order, page.name))})


def _page(name: str, entry: Mapping[str, Any]) -> Page:
    for key in entry:
        if key not in KNOWN:
            raise CatalogueError(f"probe {name}: unknown key '{key}'")
    for key in REQUIRED:
        if not entry.get(key) and key != "settles":
            raise CatalogueError(f"probe {name}: '{key}' must say something")
    return Page(
        name, int(entry.get("order", 99)), entry["title"], entry["question"], entry["how"], entry["needs"],
        entry["does_not_say"], tuple(entry["settles"]),
        MappingProxyType(dict(entry.get("limits", {}))),
        tuple(Source(source["title"], source.get("url", "")) for source in entry["sources"]), bool(entry.get("uncertain", False)),
    )
