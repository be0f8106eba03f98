"""Runs that the user asked the product to remember: a small JSON each, in the user's cache folder, by scene."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.reference.peers import Peer, peer_of
from runs.canonical import make_series
from runs.remote.cache import cache_folder
from runs.run import Run
from runs.series import Series
from runs.writers.atomic import write_text

MOST_VALUES = 400  # of a series: enough for a plot and for the evaluations of any trainer
VERSION = 1


class CannotRecord(OSError):
    """The run does not say of which scene it is."""


def folder() -> Path:
    """Beside the other things that the product keeps."""
    return cache_folder().parent / "references"


def record(run: Run, into: Path | None = None) -> Path:
    """Write down a run's settings and series; a run recorded before is replaced. Raises CannotRecord, OSError."""
    peer = peer_of(run)
    if peer.scene is None:
        raise CannotRecord("this run cannot be remembered: its cameras are not known, so no other run could be matched with it")
    mark = hashlib.sha256(peer.path.encode()).hexdigest()[:8]  # many runs lie in folders of one name
    path = (into or folder()) / peer.scene / f"{_safe(peer.name)}-{mark}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps({
        "version": VERSION, "name": peer.name, "path": peer.path, "trainer": peer.trainer, "scene": peer.scene,
        "settings": peer.settings, "series": {name: _plain(series) for name, series in peer.series.items()},
    }, default=str, indent=1))
    return path


def recorded(run: Run, kept: Path | None = None) -> tuple[Peer, ...]:
    """Remembered runs with the same cameras, but not this run itself; a file that cannot be read is left out."""
    own = peer_of(run)
    if own.scene is None:
        return ()
    found = (_read(path) for path in sorted(((kept or folder()) / own.scene).glob("*.json")))
    return tuple(peer for peer in found if peer is not None and peer.path != own.path)


def _read(path: Path) -> Peer | None:
    try:
        told: dict[str, Any] = json.loads(path.read_text("utf-8"))
        series = {name: make_series(name, values["iterations"], values["values"], values["source"])
                  for name, values in told["series"].items()}
        peer = Peer(told["name"], told["path"], told["trainer"], told["scene"], told["settings"], series)
        return peer if told["version"] == VERSION else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _plain(series: Series) -> dict[str, Any]:
    """At most MOST_VALUES values, the last one included; what is not finite is left out: JSON has no word for it."""
    known = np.flatnonzero(np.isfinite(series.values))
    kept = known[np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_VALUES)).round().astype(int))]
    return {"iterations": series.iterations[kept].tolist(), "values": series.values[kept].tolist(), "source": series.source}


def _safe(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name) or "run"
