"""Facts and detectors, declared by their signatures: positional parameters are what is needed, keyword-only ones are limits."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from diagnostics.verdict import Verdict

Function = TypeVar("Function", bound=Callable[..., Any])

# What every fact and detector may ask for without anybody computing it:
# the run, the chosen range (first, last iteration), and a beat to call inside long loops (raises Cancelled).
GIVEN = ("run", "span", "beat")


@dataclass(frozen=True)
class Fact:
    """A named value drawn from a run; `missing` says what the user would have to provide where it is None."""

    name: str
    needs: tuple[str, ...]
    optional: tuple[str, ...]
    missing: str
    compute: Callable[..., Any]


@dataclass(frozen=True)
class Detector:
    """One pattern's judge: facts in, Finding, None (clear) or NotEvaluable out."""

    name: str
    needs: tuple[str, ...]
    optional: tuple[str, ...]
    limits: Mapping[str, Any]
    judge: Callable[..., Verdict]


FACTS: dict[str, Fact] = {}
DETECTORS: dict[str, Detector] = {}


def fact(missing: str) -> Callable[[Function], Function]:
    """Register a fact under its function's name. It returns its value, None, or NotEvaluable with a more exact reason.

    A positional parameter names another fact (or one of GIVEN); with the default None it is optional.
    """

    def register(compute: Function) -> Function:
        needs, optional, _ = contract(compute, (*FACTS, *GIVEN))
        _add(FACTS, Fact(compute.__name__, needs, optional, missing, compute))
        return compute

    return register


def detects(name: str) -> Callable[[Function], Function]:
    """Register the detector of the pattern `name`. Raises TypeError at import where it asks for a fact nobody provides."""

    def register(judge: Function) -> Function:
        needs, optional, limits = contract(judge, (*FACTS, *GIVEN))
        _add(DETECTORS, Detector(name, needs, optional, limits, judge))
        return judge

    return register


def import_all(package: str, path: Iterable[str]) -> None:
    """Import every module of a package, so that what they declare is registered; a new file needs no list to be entered in."""
    for module in sorted(entry.name for entry in pkgutil.iter_modules(path)):
        importlib.import_module(f"{package}.{module}")


def contract(
    function: Callable[..., Any], provided: Collection[str],
) -> tuple[tuple[str, ...], tuple[str, ...], Mapping[str, Any]]:
    """What a function needs, what it can do without, and its limits. Raises TypeError where it asks for what nobody provides."""
    parameters = inspect.signature(function).parameters.values()
    evidence = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    unknown = [p.name for p in evidence if p.name not in provided]
    if unknown:
        raise TypeError(f"{function.__name__} asks for facts that nobody provides: {', '.join(unknown)}")
    needs = tuple(p.name for p in evidence if p.default is p.empty)
    optional = tuple(p.name for p in evidence if p.default is not p.empty)
    limits = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    return needs, optional, limits


def _add(registry: dict[str, Any], entry: Fact | Detector) -> None:
    if entry.name in registry:
        raise TypeError(f"{entry.name} is registered twice")
    registry[entry.name] = entry
