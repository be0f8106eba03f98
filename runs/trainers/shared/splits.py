"""Which cameras of a run were held out for testing: the camera file does not say, but its order does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel
from runs.names import NameIndex, stem_path
from runs.run import PerView

LLFF_HOLD = 8  # INRIA: every eighth photo by name is a test view
SPLIT_UNKNOWN = (
    "held out test views (eval=True), but no rule fits the order of its cameras, so their split is unknown; "
    "list the test photos in sparse/0/test.txt of the data folder"
)


def with_splits(
    cameras: Sequence[Camera], *, evaluated: object, model: ColmapModel | None,
) -> tuple[tuple[Camera, ...], str | None]:
    """The cameras with their split, and a sentence if it cannot be told.

    `evaluated` is the trainer's setting `eval`. INRIA writes test cameras first and then train cameras, each in order of
    name (`scene/__init__.py`), so a rule that fits the order is the rule that was used.
    """
    if evaluated is None or all(camera.split for camera in cameras):
        return tuple(cameras), None
    if not evaluated:
        return tuple(replace(camera, split="train") for camera in cameras), None
    names = [camera.name for camera in cameras]
    for test in _candidates(names, model):
        if test and set(names[: len(test)]) == test:
            return tuple(replace(c, split="test" if c.name in test else "train") for c in cameras), None
    return tuple(cameras), SPLIT_UNKNOWN


def split_by_rule(cameras: Sequence[Camera], *, evaluated: object) -> tuple[Camera, ...]:
    """Cameras of a data set as a trainer of INRIA's family divides them: as declared, else every eighth for testing.

    `evaluated` is its setting `eval`; where it is not known, only a declared split is told.
    """
    if evaluated is None:
        return tuple(cameras)
    if not evaluated:
        return tuple(replace(camera, split="train") for camera in cameras)
    declared = any(camera.split for camera in cameras)
    return tuple(cameras) if declared else held_out_every(cameras, LLFF_HOLD)


def held_out_every(cameras: Sequence[Camera], count: int) -> tuple[Camera, ...]:
    """The cameras in order of name, of which every `count`-th is a test view, the first among them (gsplat's `test_every`)."""
    ordered = sorted(cameras, key=lambda camera: camera.name)
    return tuple(replace(camera, split="train" if i % count else "test") for i, camera in enumerate(ordered))


def named_by_split(scores: PerView, cameras: Sequence[Camera]) -> PerView:
    """Scores per view under the cameras' names.

    `render.py` numbers its pictures by the camera's place among the test cameras, in the order of cameras.json. Scores
    of another number of views than there are test cameras keep their numbers: any name would be a guess.
    """
    test = [camera.name for camera in cameras if camera.split == "test"]
    names = {f"{index:05d}.png": name for index, name in enumerate(test)}
    return {
        iteration: {metric: _named(views, names) for metric, views in metrics.items()} for iteration, metrics in scores.items()
    }


def _named(views: Mapping[str, float], names: Mapping[str, str]) -> Mapping[str, float]:
    return {names[view]: score for view, score in views.items()} if views.keys() == names.keys() else views


def _candidates(names: Sequence[str], model: ColmapModel | None) -> Iterator[set[str]]:
    """Possible sets of test cameras: listed in test.txt, every eighth, or those before the names begin again."""
    known = NameIndex(names)
    if model is not None:
        yield known.find_all(camera.name for camera in model.cameras if camera.split == "test")
        yield known.find_all(sorted(camera.name for camera in model.cameras)[::LLFF_HOLD])
    if len(names) > LLFF_HOLD:  # with fewer, any order by name would seem to fit
        yield set(sorted(names)[::LLFF_HOLD])
    falls = [i + 1 for i in range(len(names) - 1) if stem_path(names[i]) > stem_path(names[i + 1])]
    if len(falls) == 1:
        yield set(names[: falls[0]])
