"""One fault put into a sound real training is found, and nothing that it does not cause is claimed beside it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from diagnostics.diagnose import diagnose
from runs.arrays import Array
from runs.formats.ply import read_points
from runs.open_run import open_run
from tests.support import retold
from tests.support.data import shared_data
from tests.support.retold import DC, QUATS, SCALES, XYZ, Change, Folders, change_rows, columns, saves, set_columns

FIRST, LAST = 0, -1  # of the saves
C0 = 0.28209479177387814
RESET = float(np.log(0.01 / 0.99))
DENSIFY_UNTIL = 1200
STRETCH = np.array([0, 0, np.log(80)])


@pytest.fixture
def told(tmp_path: Path) -> Folders:
    """A copy of synth-a: sound, 24 training views, 4,851 Gaussians at the end."""
    return Folders(shared_data("runs", "synth-a"), shared_data("scenes", "synth1")).copied(tmp_path)


def codes(told: Folders) -> set[str]:
    return {reported.pattern.code for reported in diagnose(open_run(told.run, told.data)).findings}


def with_columns(names: tuple[str, ...], value: Callable[[Array], Array | float], rows: slice = slice(None)) -> Change:
    """A change of PLY rows: these columns [n, C] become `value` of what they were."""
    def change(table: Array) -> Array:
        old = columns(table, names)
        old[rows] = value(old[rows])
        set_columns(table, names, old)
        return table

    return change


ROWS: dict[str, tuple[int, Change, set[str]]] = {
    "one NaN": (LAST, with_columns(SCALES[:1], lambda _: np.nan, slice(7, 8)), {"N-11"}),
    "four zero quaternions": (LAST, with_columns(QUATS, lambda _: 0.0, slice(5, 9)), {"N-12"}),
    "a third at the reset opacity": (LAST, with_columns(("opacity",), lambda _: RESET, slice(None, None, 3)), {"DF-07"}),
    "a fifth are needles": (
        LAST, with_columns(SCALES, lambda s: np.sort(s, axis=1) + STRETCH, slice(None, None, 5)),
        {"AF-06", "AF-07"}),  # so large that their order shows
    "50 times too large at the start": (FIRST, with_columns(SCALES, lambda s: s + np.log(50)), {"IF-03"}),
    "points at the start": (FIRST, with_columns(SCALES, lambda _: -40.0), {"IF-02"}),
}


@pytest.mark.parametrize("fault", ROWS)
def test_a_fault_in_the_rows_of_one_save(told: Folders, fault: str) -> None:
    """What a person would see in the file must not need a person."""
    which, change, expected = ROWS[fault]
    change_rows(saves(told.run)[which], change)
    assert codes(told) == expected


def started_with(told: Folders, formula: Change) -> None:
    """The first save as if colours had been initialised by `formula` of 0..1 colours."""
    points = read_points(told.run / "input.ply")
    assert points.rgb is not None
    known = points.rgb / 255

    def change(table: Array) -> Array:
        colours = known[cKDTree(points.xyz).query(columns(table, XYZ))[1]]
        learned = columns(table, DC) - (colours - 0.5) / C0
        set_columns(table, DC, formula(colours) + 0.1 * learned)
        return table

    change_rows(saves(told.run)[FIRST], change)


@pytest.mark.parametrize("factor", [C0, 1.0], ids=["colour · C0", "raw colour"])
def test_colours_initialised_by_the_wrong_formula(told: Folders, factor: float) -> None:
    """The picture only looks pale, and training hides it."""
    started_with(told, lambda colours: factor * colours)
    assert codes(told) == {"IF-06"}


def test_colours_initialised_from_bytes(told: Folders) -> None:
    """Forgetting to divide by 255 is the other usual mistake: the slope is 255 instead of 1."""
    started_with(told, lambda colours: (255 * colours - 0.5) / C0)
    assert "IF-06" in codes(told)


def cut_points(told: Folders) -> None:
    change_rows(told.run / "input.ply", lambda table: table[:40])


def push_means(told: Folders) -> None:
    rng = np.random.default_rng(4)
    change_rows(saves(told.run)[FIRST], with_columns(XYZ, lambda xyz: xyz + 0.3 * rng.normal(size=xyz.shape)))


def push_means_of_other_rows(told: Folders) -> None:
    push_means(told)
    change_rows(saves(told.run)[FIRST], lambda table: table[::-1].copy())


@pytest.mark.parametrize("change", [cut_points, push_means, push_means_of_other_rows])
def test_colours_are_held_only_against_their_own_points(told: Folders, change: Callable[[Folders], None]) -> None:
    """Beside the right point lies one of another colour, and a sound formula would look wrong."""
    change(told)
    assert "IF-06" not in codes(told)


def change_cameras(told: Folders, change: Callable[[list[dict[str, Any]]], None]) -> None:
    file = told.run / "cameras.json"
    cameras = json.loads(file.read_text("utf-8"))
    change([camera for camera in cameras if camera["img_name"].startswith("train")])
    file.write_text(json.dumps(cameras), "utf-8")


def test_poses_off_by_half_a_degree(told: Folders) -> None:
    """Without keypoints only the photos can tell, and 0.5 degrees are 1 px in these small pictures."""
    rng = np.random.default_rng(3)

    def turned(cameras: list[dict[str, Any]]) -> None:
        for camera in cameras:
            axis = rng.normal(size=3)
            turn = Rotation.from_rotvec(np.radians(0.5) * axis / np.linalg.norm(axis)).as_matrix()
            camera["rotation"] = (turn @ camera["rotation"]).tolist()

    change_cameras(told, turned)
    assert "IF-04" in codes(told)


def far_cameras(told: Folders, count: int) -> None:
    def moved(cameras: list[dict[str, Any]]) -> None:
        for camera in cameras[:: len(cameras) // count][:count]:
            camera["position"] = (100 * np.array(camera["position"])).tolist()

    change_cameras(told, moved)


def test_two_far_cameras(told: Folders) -> None:
    """The learning rate of the means grows with them a hundredfold."""
    far_cameras(told, 2)
    assert "N-01" in codes(told)


def test_four_far_cameras_of_twenty_four(told: Folders) -> None:
    """A failed sub-model often brings several cameras at once; a hundredfold distance is no second ring."""
    far_cameras(told, 4)
    assert "N-01" in codes(told)


def grows(entry: dict[str, Any]) -> dict[str, Any]:
    late = max(0, entry["it"] - DENSIFY_UNTIL)
    return {**entry, "n": round(entry["n"] * (1 + 0.3 * late / 800))}


def over_fits(entry: dict[str, Any]) -> dict[str, Any]:
    if "eval" not in entry or entry["it"] < 1000:
        return entry
    off = 1.5 * (entry["it"] - 1000) / 1000
    return {**entry, "eval": {"train": entry["eval"]["train"] + off, "test": entry["eval"]["test"] - off}}


LOGS: dict[str, tuple[Callable[[dict[str, Any]], dict[str, Any]], set[str]]] = {
    "growth after densification ended": (grows, {"DF-08", "CK-3"}),  # the saves did not grow
    "a hundredfold learning rate": (lambda entry: {**entry, "lr_xyz": 100 * entry["lr_xyz"]}, {"OF-01"}),
    "test PSNR falls while train PSNR rises": (over_fits, {"CF-03"}),
}


@pytest.mark.parametrize("fault", LOGS)
def test_a_fault_in_the_log(told: Folders, fault: str) -> None:
    """Each curve alone looks harmless; the schedule or another curve makes it a fault."""
    change, expected = LOGS[fault]
    retold.change_log(told.run, change)
    assert codes(told) == expected


@pytest.mark.parametrize(("run", "expected"), [("synth-d", {"OF-03", "DF-07", "DF-05"}), ("synth-b", {"CF-03", "NF-03"})])
def test_the_log_tells_how_far_apart_resets_are(run: str, expected: set[str], tmp_path: Path) -> None:
    """The log tells resets at 500 and 1,000, so that the end at 2,000 is far outside their recovery."""
    told = Folders(shared_data("runs", run), shared_data("scenes", "synth0")).copied(tmp_path)
    retold.remove(told.run, "opt_args.json")
    assert codes(told) == expected


def test_opaque_floaters_that_cost_eight_decibels(told: Folders) -> None:
    """150 opaque specks between cameras and surfaces: training PSNR falls from 33 to 24 dB and every view is spotted."""
    rng = np.random.default_rng(11)
    run = open_run(told.run, told.data)
    eyes = np.stack([camera.centre for camera in run.cameras if camera.split == "train"])[rng.integers(0, 24, 150)]

    def spotted(table: Array) -> Array:
        specks = table[rng.integers(0, len(table), 150)]
        opaque = columns(table, XYZ)[table["opacity"] > 0]
        rays = opaque[rng.integers(0, len(opaque), 150)] - eyes
        set_columns(specks, XYZ, eyes + rng.uniform(0.3, 0.7, (150, 1)) * rays)
        set_columns(specks, SCALES, np.log(0.004 * np.linalg.norm(rays, axis=1, keepdims=True) * np.ones(3)))
        set_columns(specks, DC, rng.uniform(-1.5, 1.5, (150, 3)))
        for name in ("opacity", *(name for name in retold.names_of(specks) if name.startswith("f_rest_"))):
            specks[name] = 2.2 if name == "opacity" else 0.0
        return np.concatenate([table, specks])

    change_rows(saves(told.run)[LAST], spotted)
    assert "AF-01" in codes(told)
