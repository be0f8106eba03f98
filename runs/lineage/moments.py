"""Moments of one Gaussian's history: what one link tells about it, in words."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import I64
from runs.checkpoints import Checkpoint
from runs.lineage.link import (
    BORN,
    CLONED,
    COPIED,
    DESCENDED,
    GONE,
    LIKENESS,
    ORDER,
    PLACES,
    SAME,
    SPLIT,
    UNKNOWN,
    Link,
)

LEAST = 0.5  # confidence below which nothing is told any more
MOST_CHILDREN = 6  # listed per interval
HERE, ITSELF = "inspected", "itself"
BIRTH = {CLONED: "cloned", SPLIT: "split", COPIED: "copied", DESCENDED: "several births"}


@dataclass(frozen=True)
class Moment:
    """A Gaussian of one save: the inspected one, an ancestor or a child of it."""

    iteration: int
    row: int
    relation: str = HERE  # to the inspected one: "itself", "parent: cloned", "copied from", "child: split", …
    generations: int = 0  # births between it and the inspected one
    confidence: float = 1.0  # 0..1, that all claims on the way to it are right
    source: str = ""  # what told the last of them; empty for the inspected one
    opacity: float = float("nan")
    max_scale: float = float("nan")  # world units
    moved: float = float("nan")  # world units, from where the inspected one is


@dataclass(frozen=True)
class Remark:
    """What became of it between two saves, or why that is not known."""

    says: str
    confidence: float = 1.0  # 0..1, that it is so; 1 where it only says that something is not known
    source: str = ""


Told = tuple[tuple[Moment | Remark, ...], Moment | None]  # by iteration, and where the history goes on; None: nowhere


def before(link: Link, now: Moment, earlier: Checkpoint) -> Told:
    """What `now` was in the save before."""
    kind, parent = int(link.kinds[now.row]), int(link.parents[now.row])
    if kind in (BORN, UNKNOWN):
        return (_origin(link, now, earlier),), None
    confidence = now.confidence * float(link.confidence[now.row])
    if confidence < LEAST:
        return (Remark(f"Not followed before {now.iteration:,}: too uncertain"),), None
    generations = now.generations + (kind != SAME)
    moment = Moment(earlier.iteration, parent, _ancestor(kind, generations), generations, confidence, link.source)
    return (moment,), moment


def after(link: Link, now: Moment, later: Checkpoint) -> Told:
    """What became of `now` in the save after, and its children there."""
    rows = link.from_row(now.row)
    born = rows[link.kinds[rows] != SAME]
    told: list[Moment | Remark] = [
        Moment(later.iteration, int(row), f"child: {BIRTH[int(link.kinds[row])]}", 1, sure, link.source)
        for row in born[:MOST_CHILDREN] if (sure := now.confidence * float(link.confidence[row])) >= LEAST
    ]
    if len(born) > MOST_CHILDREN:
        told.append(Remark(f"and {len(born) - MOST_CHILDREN:,} more children at {later.iteration:,}"))
    for row in rows[link.kinds[rows] == SAME]:
        confidence = now.confidence * float(link.confidence[row])
        if confidence < LEAST:
            return (*told, Remark(f"Not followed after {now.iteration:,}: too uncertain")), None
        moment = Moment(later.iteration, int(row), ITSELF, 0, confidence, link.source)
        return (moment, *told), moment
    return (_end(link, now, later, born), *told), None


def _ancestor(kind: int, generations: int) -> str:
    """ "itself", "parent: cloned" where the birth lies right after this save, "parent" before that."""
    name = (ITSELF, "parent", "grandparent", "ancestor")[min(generations, 3)]
    if kind == COPIED:
        return "copied from" if generations == 1 else f"{name}: copied"
    if kind == DESCENDED:
        return "ancestor: several births"
    return name if kind == SAME else f"{name}: {BIRTH[kind]}"


def _origin(link: Link, now: Moment, earlier: Checkpoint) -> Remark:
    between, in_place = _between(earlier.iteration, now.iteration), link.source == PLACES
    if link.kinds[now.row] == BORN:
        says = f"Added {between}: not known of which it is a copy" if in_place else f"Born {between}: parent not available"
        return Remark(says, now.confidence * float(link.confidence[now.row]), link.source)
    if link.source == LIKENESS:
        return Remark(f"Not found in {earlier.iteration:,}: no Gaussian there is like it")
    if in_place:
        return Remark(f"Not followed {between}: moved far, or became a copy of another")
    return Remark(f"Not recognised in {earlier.iteration:,}: changed too much, or born since")


def _end(link: Link, now: Moment, later: Checkpoint, born: I64) -> Remark:
    between = _between(now.iteration, later.iteration)
    if link.source == LIKENESS:
        return Remark(f"Not found in {later.iteration:,}: no Gaussian there is like it")
    if link.source == PLACES:
        return _replaced(link, now, between)
    is_split = np.any(link.kinds[born] == SPLIT)
    if link.source == ORDER and not is_split and not link.goes_on_nowhere(now.row):
        return Remark(f"Not recognised in {later.iteration:,}: changed too much, or gone")
    how = f"Split {between}" if is_split else f"Pruned {between}" if link.complete else f"Gone {between}: pruned or split"
    if not is_split and np.any(link.kinds == COPIED):
        how = f"Gone {between}"  # pruned, or relocated by a trainer that does so too
    return Remark(how, now.confidence * (GONE if link.source == ORDER else 1.0), link.source)


def _replaced(link: Link, now: Moment, between: str) -> Remark:
    if link.kinds[now.row] == COPIED:
        sure = now.confidence * float(link.confidence[now.row])
        return Remark(f"Gone {between}: dead, its row became a copy of another", sure, link.source)
    return Remark(f"Not followed {between}: moved far, or became a copy of another")


def _between(first: int, last: int) -> str:
    return f"between {first:,} and {last:,}"
