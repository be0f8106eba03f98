"""Facts about shapes: tensors of one checkpoint file held against each other, by its description alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.facts.crash import ABOUT_SHAPES, Failure
from diagnostics.registry import fact
from runs.errors import RunError
from runs.formats.ply.columns import DEGREE_OF_REST
from runs.formats.torch_file import describe_torch_file
from runs.run import Run

TORCH_ENDINGS = frozenset({".pt", ".pth", ".ckpt"})
MOST_FILES = 4
# INRIA's tuple holds its parameters without names, in this order.
OF_TUPLE: Mapping[str, tuple[tuple[int | None, ...], ...]] = {  # shape of one row; None: any size
    "xyz": ((3,),), "f_dc": ((1, 3),), "f_rest": ((None, 3),), "scaling": ((3,), (2,)), "rotation": ((4,),), "opacity": ((1,),),
}
MEANS = ("xyz", "means", "means3d", "_xyz")
# Every name under which a trainer stores one row per Gaussian.
PER_GAUSSIAN = frozenset({
    *OF_TUPLE, *MEANS, "scales", "quats", "opacities", "sh0", "shN", "features_dc", "features_rest", "colors", "features",
})
HARMONICS = frozenset({"f_rest", "shN", "features_rest"})
MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass(frozen=True)
class Misfit:
    """One tensor whose shape does not fit the others of its file, or an error that says so."""

    what: str
    rows: int | None  # that it has
    expected: int | None
    iteration: int | None
    source: str
    failure: Failure | None = None


@dataclass(frozen=True)
class Shapes:
    """What was looked at, and what does not fit."""

    misfits: tuple[Misfit, ...]
    tensors: int  # that were compared
    files: tuple[str, ...]


@fact(missing="a checkpoint of torch (ckpt_N.pt, chkpntN.pth, step-N.ckpt), or a text log of the training")
def shapes(run: Run, span: tuple[int, int], failures: tuple[Failure, ...] | None = None) -> Shapes | None:
    """Of the last torch files of the range, those that the reader could not use among them, and of errors that ended training."""
    misfits: list[Misfit] = [found for failure in failures or () if (found := _told(failure)) is not None]
    compared, files = 0, []
    for iteration, path in _files(run, span):
        try:
            named = Named.of(describe_torch_file(path))
        except RunError as error:
            run.book.add_error(error)
            continue
        files.append(path.name)
        compared += len(named.parameters) + len(named.moments)
        misfits += named.misfits(iteration, path.name)
    return Shapes(tuple(misfits), compared, tuple(files)) if compared or failures is not None else None


def _files(run: Run, span: tuple[int, int]) -> list[tuple[int | None, Path]]:
    """The last saves and states, and files that a note says could not be read."""
    known = [(c.iteration, c.path) for c in run.checkpoints] + [(s.iteration, s.path) for s in run.state_files]
    within = sorted(one for one in known if span[0] <= one[0] <= span[1] and one[1].suffix in TORCH_ENDINGS)
    refused = [Path(note.file) for note in run.notes if Path(note.file).suffix in TORCH_ENDINGS]
    listed: list[tuple[int | None, Path]] = [*within[-MOST_FILES:], *((None, path) for path in refused if path.is_file())]
    return list({path: (iteration, path) for iteration, path in reversed(listed)}.values())[:MOST_FILES]


def _told(failure: Failure) -> Misfit | None:
    event = failure.event
    rows = event.fields.get("rows")
    about_gradient = event.kind == "invalid_gradient" and rows is not None and rows > 0
    about_tensors = event.kind == "traceback" and any(sign in failure.says for sign in ABOUT_SHAPES)
    if failure.goes_on or not (about_gradient or about_tensors):
        return None
    return Misfit(failure.says, None if rows is None else int(rows), None, event.iteration, failure.file, failure)


@dataclass(frozen=True)
class Named:
    """Shapes of the parameters of one file by name, and of Adam's moments by the name of their group."""

    parameters: Mapping[str, tuple[int, ...]]
    moments: tuple[tuple[str, str, tuple[int, ...]], ...]  # group, which moment, shape

    @classmethod
    def of(cls, saved: Any) -> "Named":
        """From the description of a file: INRIA's tuple, or dicts that name their tensors."""
        inner = saved[0] if isinstance(saved, tuple) and saved and isinstance(saved[0], tuple) else saved
        parameters = _of_tuple(inner) if isinstance(inner, tuple) else dict(_of_dict(inner))
        return cls(parameters, tuple(_moments(inner)))

    def misfits(self, iteration: int | None, source: str) -> Iterator[Misfit]:
        """Other numbers of rows than the means have, harmonics of no degree, moments of another shape than their parameter."""
        count = next((self.parameters[name][0] for name in MEANS if name in self.parameters), None)
        if count is None:
            return
        for name, shape in self.parameters.items():
            if shape[0] != count:
                yield Misfit(f"{name} has {shape[0]:,} rows", shape[0], count, iteration, source)
            elif name in HARMONICS and len(shape) == 3 and shape[1] and 3 * shape[1] not in DEGREE_OF_REST:
                yield Misfit(f"{name} has {shape[1]} coefficients, which is no SH degree", shape[1], None, iteration, source)
        for group, moment, shape in self.moments:
            parameter = self.parameters.get(group)
            if parameter is not None and shape != parameter:
                yield Misfit(f"Adam's {moment} of {group} is {_shown(shape)}, the parameter {_shown(parameter)}", shape[0],
                             parameter[0], iteration, source)


def _shown(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{size:,}" for size in shape)


def _shape(value: Any) -> tuple[int, ...] | None:
    shape = getattr(value, "shape", None)
    return shape if isinstance(shape, tuple) and shape else None


def _of_tuple(items: Sequence[Any]) -> dict[str, tuple[int, ...]]:
    """The first tensor that fits each parameter's rows, in their order; nothing where one is not there: forks add others."""
    shapes = iter([shape for item in items if (shape := _shape(item)) is not None])
    found = {name: shape for name, rows in OF_TUPLE.items()
             if (shape := next((one for one in shapes if any(_fits(one[1:], row) for row in rows)), None)) is not None}
    return found if len(found) == len(OF_TUPLE) else {}


def _fits(shape: tuple[int, ...], row: tuple[int | None, ...]) -> bool:
    return len(shape) == len(row) and all(want in (None, size) for want, size in zip(row, shape, strict=True))


def _of_dict(saved: Any) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Tensors of known names, by the last part of their name, wherever they lie outside the optimizers."""
    for key, value in saved.items() if isinstance(saved, dict) else ():
        name, shape = str(key).rpartition(".")[2], _shape(value)
        if shape is not None and name in PER_GAUSSIAN:
            yield name, shape
        elif isinstance(value, dict) and "param_groups" not in value and not str(key).startswith("optimizer"):
            yield from _of_dict(value)


def _moments(saved: Any) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Of every optimizer whose groups name themselves and hold one tensor each."""
    for optimizer in _optimizers(saved):
        states = optimizer.get("state")
        for group in optimizer.get("param_groups") or ():
            name = group.get("name") if isinstance(group, dict) else None
            state = _state_of(group, states)
            shapes = ((moment, _shape(state.get(moment))) for moment in MOMENTS)
            yield from ((name, moment, shape) for moment, shape in shapes if isinstance(name, str) and shape is not None)


def _state_of(group: Any, states: Any) -> Mapping[str, Any]:
    """Adam's memory of a group that holds one tensor."""
    indices = group.get("params") if isinstance(group, dict) else None
    if not isinstance(states, dict) or not isinstance(indices, list) or len(indices) != 1:
        return {}
    state = states.get(indices[0])
    return state if isinstance(state, dict) else {}


def _optimizers(saved: Any) -> Iterator[dict[str, Any]]:
    values = saved.values() if isinstance(saved, dict) else saved if isinstance(saved, (list, tuple)) else ()
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("param_groups"), list):
            yield value
        elif isinstance(value, dict):
            yield from _optimizers(value)
