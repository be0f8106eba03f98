"""Recorder: writes from inside a training loop what trainers do not keep, where Splat Doctor finds it.

It needs numpy alone, so this one file can be copied beside a `train.py`. In INRIA's trainer and its forks:

    record = Recorder(scene.model_path, gaussians)                  # once, after `gaussians.training_setup(opt)`
    record.step(iteration, gaussians.optimizer, loss=loss)          # after `loss.backward()`

in gsplat's `examples/simple_trainer.py`:

    record = Recorder(cfg.result_dir, cfg.strategy)                 # once, at the start of `train`
    record.step(step + 1, self.optimizers, loss=loss)               # after `loss.backward()`

Written are `splatdoctor.jsonl` (gradient norms, learning rates, peak VRAM, counts of clones, splits and prunes) and
`splatdoctor/lineage_ITERATION.npz` (which row came from which, at each densification: about a byte a Gaussian).
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

LOG, FOLDER = "splatdoctor.jsonl", "splatdoctor"
STAYED, CLONE, HALF, RELOCATED, ADDED = range(5)  # what a row is, after a densification
# gsplat's names of parameter groups, in INRIA's spelling.
GROUPS = {"means": "xyz", "sh0": "f_dc", "shN": "f_rest", "opacities": "opacity", "scales": "scaling", "quats": "rotation"}
INRIA_STEPS = ("densification_postfix", "prune_points", "relocate_gs")
GSPLAT_STEPS = ("duplicate", "split", "remove", "relocate", "sample_add")


class Recorder:
    """Follows one training. `follow` is INRIA's GaussianModel or gsplat's strategy; without it no lineage is written."""

    def __init__(self, folder: str | os.PathLike[str], follow: Any = None, *, every: int = 10) -> None:
        """`every`: iterations between two rows of the log. Raises OSError if nothing can be written there."""
        self.folder, self.every, self.iteration = Path(folder), every, 0
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lineage = Lineage()
        self._undo: list[Callable[[], None]] = []
        if follow is not None:
            self._follow(follow)

    def step(self, iteration: int, optimizers: Any, **values: Any) -> None:
        """Call once per iteration, after `backward`. `optimizers`: one of torch's, or a mapping of them; `values`: numbers."""
        self.flush()
        self.iteration = iteration
        if iteration % self.every and iteration != 1:
            return
        groups = list(_groups(optimizers))
        row: dict[str, Any] = {"n": len(groups[0][1])} if groups else {}
        row.update({f"lr_{name}": rate for name, _, rate in groups})
        row["gn"] = {name: float(value.grad.norm()) for name, value, _ in groups if value.grad is not None}
        row.update({name: float(value) for name, value in values.items()})
        self._write({**row, **_vram()})

    def flush(self) -> None:
        """Write down the densification since the last step, if there was one; `step` does so."""
        counts, rows, kinds = self.lineage.taken()
        if not counts:
            return
        self._write({"densify": counts})
        target = self.folder / FOLDER / f"lineage_{self.iteration:07d}.npz"
        target.parent.mkdir(exist_ok=True)
        partial = target.with_suffix(".tmp")
        with partial.open("wb") as file:  # a name without the ending, which numpy would add
            np.savez_compressed(file, rows=rows, kinds=kinds)
        partial.replace(target)

    def close(self) -> None:
        """Write what is left and let go of the trainer."""
        self.flush()
        while self._undo:
            self._undo.pop()()

    def _write(self, row: Mapping[str, Any]) -> None:
        with (self.folder / LOG).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"it": self.iteration, **row}) + "\n")

    def _follow(self, trainer: Any) -> None:
        module = sys.modules[type(trainer).__module__]
        wrapped = [(trainer, name) for name in INRIA_STEPS if hasattr(trainer, name)]
        wrapped = wrapped or [(module, name) for name in GSPLAT_STEPS if hasattr(module, name)]
        if not wrapped:
            raise ValueError(f"{type(trainer).__name__} is neither INRIA's GaussianModel nor a strategy of gsplat")
        for owner, name in wrapped:
            self._wrap(owner, name)

    def _wrap(self, owner: Any, name: str) -> None:
        original, told = getattr(owner, name), getattr(self.lineage, name)
        is_module = isinstance(owner, ModuleType)

        def watched(*arguments: Any, **named: Any) -> Any:
            return told(original, *(() if is_module else (owner,)), *arguments, **named)

        setattr(owner, name, watched)
        self._undo.append(lambda: setattr(owner, name, original) if is_module else delattr(owner, name))


class Lineage:
    """Which row came from which since the last look. Each method wraps the trainer's step of its name."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.unreplaced = 0  # parents of halves, which go next
        self.rows: NDArray[np.int64] | None = None  # for each row now, the row it was, or its parent was
        self.kinds = np.zeros(0, np.uint8)

    def taken(self) -> tuple[dict[str, int], NDArray[np.int64], NDArray[np.uint8]]:
        """Counts, rows and kinds; counts are empty where nothing happened. Begins anew."""
        found = dict(self.counts), self.rows if self.rows is not None else np.zeros(0, np.int64), self.kinds
        self.__init__()  # type: ignore[misc]
        return found

    # INRIA's GaussianModel

    def densification_postfix(self, original: Callable[..., Any], model: Any, new_xyz: Any, *rest: Any, **named: Any) -> Any:
        """Clones and halves of splits, appended: the parent has the same colours and rotation, to the bit."""
        old, colours = _array(model._xyz), _array(model._features_dc)
        new, new_colours = _array(new_xyz), _array(rest[0] if rest else named["new_features_dc"])
        copies = _parents(_joined(colours, old), _joined(new_colours, new))
        parents = np.where(copies >= 0, copies, _parents(colours, new_colours))
        relocating = named.get("reset_params") is False
        kind = ADDED if relocating else CLONE if (copies >= 0).all() else HALF
        self._born(len(old), parents, kind)
        return original(new_xyz, *rest, **named)

    def prune_points(self, original: Callable[..., Any], _model: Any, mask: Any) -> Any:
        self._gone(np.asarray(_array(mask), bool))
        return original(mask)

    def relocate_gs(self, original: Callable[..., Any], model: Any, dead_mask: Any = None, **named: Any) -> Any:
        """3dgs-mcmc: dead rows become copies of others, in place."""
        dead = np.asarray(_array(dead_mask), bool).reshape(-1)
        result = original(dead_mask, **named)
        self._moved(dead, _array(model._xyz))
        return result

    # gsplat's strategies

    def duplicate(self, original: Callable[..., Any], params: Any, optimizers: Any, state: Any, mask: Any) -> Any:
        chosen = np.asarray(_array(mask), bool)
        self._born(len(chosen), np.flatnonzero(chosen), CLONE)
        return original(params, optimizers, state, mask)

    def split(
        self, original: Callable[..., Any], params: Any, optimizers: Any, state: Any, mask: Any, *rest: Any, **named: Any,
    ) -> Any:
        """The parents go, then all first halves and all second halves are appended."""
        chosen = np.asarray(_array(mask), bool)
        self._born(len(chosen), np.tile(np.flatnonzero(chosen), 2), HALF)
        self._gone(np.concatenate([chosen, np.zeros(2 * chosen.sum(), bool)]))
        return original(params, optimizers, state, mask, *rest, **named)

    def remove(self, original: Callable[..., Any], params: Any, optimizers: Any, state: Any, mask: Any) -> Any:
        self._gone(np.asarray(_array(mask), bool))
        return original(params, optimizers, state, mask)

    def relocate(
        self, original: Callable[..., Any], params: Any, optimizers: Any, state: Any, mask: Any, *rest: Any, **named: Any,
    ) -> Any:
        dead = np.asarray(_array(mask), bool)
        result = original(params, optimizers, state, mask, *rest, **named)
        self._moved(dead, _array(params["means"]))
        return result

    def sample_add(self, original: Callable[..., Any], params: Any, *rest: Any, **named: Any) -> Any:
        count = len(params["means"])
        result = original(params, *rest, **named)
        places = _array(params["means"])
        self._born(count, _parents(places[:count], places[count:]), ADDED)
        return result

    def _known(self, count: int) -> NDArray[np.int64]:
        if self.rows is None:
            self.rows, self.kinds = np.arange(count), np.zeros(count, np.uint8)
        return self.rows

    def _born(self, count: int, parents: NDArray[np.int64], kind: int) -> None:
        rows = self._known(count)
        self.rows = np.concatenate([rows, np.where(parents >= 0, rows[parents], -1)])
        self.kinds = np.concatenate([self.kinds, np.full(len(parents), kind, np.uint8)])
        if kind == HALF:
            self.unreplaced += len(parents) // 2
        self._count({CLONE: "cloned", HALF: "split", ADDED: "added"}[kind], len(parents) // (2 if kind == HALF else 1))

    def _gone(self, gone: NDArray[np.bool_]) -> None:
        rows, count = self._known(len(gone)), int(gone.sum())
        self.rows, self.kinds = rows[~gone], self.kinds[~gone]
        replaced = min(self.unreplaced, count)
        self.unreplaced -= replaced
        self._count("pruned", count - replaced)

    def _moved(self, dead: NDArray[np.bool_], places: NDArray[Any]) -> None:
        rows, alive = self._known(len(dead)), np.flatnonzero(~dead)
        sources = _parents(places[alive], places[dead])
        self.rows = rows.copy()
        self.rows[dead] = np.where(sources >= 0, rows[alive][sources], -1)
        self.kinds = np.where(dead, RELOCATED, self.kinds).astype(np.uint8)
        self._count("relocated", int(dead.sum()))

    def _count(self, name: str, number: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + number


def _groups(optimizers: Any) -> list[tuple[str, Any, float]]:
    """Name, parameter and learning rate of every group with one parameter; in the optimiser's order."""
    named = optimizers.items() if isinstance(optimizers, Mapping) else [("", optimizers)]
    found = [
        (str(group.get("name", outer)), group["params"][0], float(group["lr"]))
        for outer, optimizer in named for group in optimizer.param_groups if len(group["params"]) == 1
    ]
    return [(GROUPS.get(name, name), value, rate) for name, value, rate in found]


def _vram() -> dict[str, float]:
    """Peak of what torch allocated and reserved on the current device, MB; nothing without CUDA."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return {}
    mib = 2**20
    return {"vram": torch.cuda.max_memory_allocated() / mib, "vram_reserved": torch.cuda.max_memory_reserved() / mib}


def _array(values: Any) -> NDArray[Any]:
    """A torch tensor on any device, or an array."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


def _joined(*columns: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([column.reshape(len(column), -1) for column in columns], axis=1)


def _parents(old: NDArray[Any], new: NDArray[Any]) -> NDArray[np.int64]:
    """For each row of `new` the first row of `old` with the same bits, else -1."""
    old, new = (np.ascontiguousarray(values, np.float32).reshape(len(values), -1).view(np.uint32) for values in (old, new))
    if not len(old):
        return np.full(len(new), -1, np.int64)
    keys, wanted = _keys(old), _keys(new)
    order = np.argsort(keys, kind="stable")
    first = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(order) - 1)]
    return np.where((old[first] == new).all(axis=1), first, -1)


def _keys(bits: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Equal rows have equal keys, others hardly ever."""
    odd = np.random.default_rng(0).integers(1, 2**63, bits.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    return np.asarray((bits * odd).sum(axis=1, dtype=np.uint64))
