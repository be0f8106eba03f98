"""The same training told in another way gets the same verdict: another world, another file layout, other photos, fewer files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from diagnostics.diagnose import diagnose
from runs.arrays import Array
from runs.open_run import open_run
from tests.support.data import REPOSITORY, shared_data
from tests.support.retold import Folders, change_photos, change_rows, move_world, names_of, remove, saves, typed

SAMPLE = REPOSITORY / "resources" / "sample_run"
TURN = Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix()
Retell = Callable[[Folders], None]


def codes(told: Folders) -> set[str]:
    return {reported.pattern.code for reported in diagnose(open_run(told.run, told.data)).findings}


def shared(run: str, scene: str) -> Folders:
    return Folders(shared_data("runs", run), shared_data("scenes", scene))


def rewritten(change: Callable[[Array], Array], **options: object) -> Retell:
    def retell(told: Folders) -> None:
        for ply in saves(told.run):
            change_rows(ply, change, **options)

    return retell


def shuffled(table: Array) -> Array:
    return table[np.random.default_rng(len(table)).permutation(len(table))]


def reversed_without_normals(table: Array) -> Array:
    return typed(table, [name for name in reversed(names_of(table)) if name not in ("nx", "ny", "nz")])


def moved(scale: float) -> Retell:
    return lambda told: move_world(told, scale=scale, rotation=TURN, shift=np.array([3.0, -2.0, 5.0]))


def without(*patterns: str) -> Retell:
    return lambda told: remove(told.run, *patterns)


def halved(pixels: Array) -> Array:
    image = Image.fromarray(pixels)
    return np.asarray(image.resize((image.width // 2, image.height // 2), Image.Resampling.BOX))


def cut_out(pixels: Array) -> Array:
    """Transparent where black, as masked captures are delivered."""
    return np.dstack([pixels, np.where((pixels <= 1).all(axis=2), 0, 255)])


def idle_alpha(pixels: Array) -> Array:
    """RGBA of an opaque picture, as many tools write it."""
    return np.dstack([pixels, np.full(pixels.shape[:2], 255)])


def clipped(pixels: Array, low: int, high: int) -> Array:
    """Dark pixels black, bright ones white, the others as they are: a camera's range is shorter than the world's."""
    dark, bright = (mask.all(axis=2, keepdims=True) for mask in (pixels <= low, pixels >= high))
    return np.where(dark, 0, np.where(bright, 255, pixels))


IN_ANOTHER_WORLD: dict[str, Retell] = {
    "turned, moved, 10 times larger": moved(10.0), "turned, moved, 10 times smaller": moved(0.1),
}
IN_ANOTHER_LAYOUT: dict[str, Retell] = {
    "rows in another order": rewritten(shuffled), "big-endian": rewritten(lambda table: table, byte_order=">"),
    "properties in another order, no normals": rewritten(reversed_without_normals),
}
WITH_OTHER_PHOTOS: dict[str, Retell] = {
    "JPEG": lambda told: change_photos(told.data, lambda pixels: pixels, ending=".jpg", quality=90),
    "with an idle alpha channel": lambda told: change_photos(told.data, idle_alpha, compress_level=1),
    "at half size": lambda told: change_photos(told.data, halved, compress_level=1),
    "cut out": lambda told: change_photos(told.data, cut_out, compress_level=1),
}
WITH_FEWER_FILES: dict[str, Retell] = {
    "TensorBoard alone": without("metrics.jsonl"), "no log": without("metrics.jsonl", "events*"),
    "no stored schedule": without("opt_args.json"), "no input.ply": without("input.ply"), "no cameras": without("cameras.json"),
}
OPAQUE = {name: WITH_OTHER_PHOTOS[name] for name in ("JPEG", "with an idle alpha channel")}
OF_A_SICK_RUN = {**IN_ANOTHER_WORLD, **IN_ANOTHER_LAYOUT, **OPAQUE, "TensorBoard alone": WITH_FEWER_FILES["TensorBoard alone"]}
OF_A_SOUND_RUN = {**IN_ANOTHER_WORLD, **IN_ANOTHER_LAYOUT, **WITH_OTHER_PHOTOS, **WITH_FEWER_FILES}


@pytest.mark.parametrize("way", OF_A_SICK_RUN)
def test_a_fault_is_found_however_the_run_is_told(way: str, tmp_path: Path) -> None:
    """The verdict of the embedded sample run must hang on its training, not on units, axes, row order or encodings."""
    told = Folders(SAMPLE, SAMPLE / "studio").copied(tmp_path)
    OF_A_SICK_RUN[way](told)
    assert {"IF-05"} <= codes(told) <= {"IF-05", "S-01", "AF-01", "TG-02"}  # floaters follow, or do not, by a hair


@pytest.mark.parametrize("way", ["JPEG", "with an idle alpha channel", "cut out"])
def test_the_proof_of_a_wrong_background_does_not_hang_on_the_photos_encoding(way: str, tmp_path: Path) -> None:
    """The logged PSNR comes out again on white, from whatever file the black of the photos is read."""
    told = Folders(SAMPLE, SAMPLE / "studio").copied(tmp_path)
    WITH_OTHER_PHOTOS[way](told)
    found = next(f for f in diagnose(open_run(told.run, told.data)).findings if f.pattern.code == "IF-05")
    assert (found.severity, found.finding.confidence) == ("critical", 0.99)


@pytest.mark.parametrize("way", OF_A_SOUND_RUN)
def test_a_sound_run_stays_sound_however_it_is_told(way: str, tmp_path: Path) -> None:
    """Missing files make patterns undecided, never ill; a false alarm is the worst bug of a debugger."""
    told = shared("synth-a", "synth1").copied(tmp_path)
    OF_A_SOUND_RUN[way](told)
    assert codes(told) == set()


def test_a_real_capture_stays_sound_in_another_row_order_and_as_jpeg(tmp_path: Path) -> None:
    """Real photos fill the whole picture and have keypoints: other detectors come to speak than on the analytic scenes."""
    told = shared("fox-a", "fox").copied(tmp_path)
    for ply in saves(told.run):
        change_rows(ply, shuffled)
    change_photos(told.data, lambda pixels: pixels, ending=".jpg", quality=90)
    assert codes(told) == set()


@pytest.mark.parametrize("span", [(1, 1200), (1, 1500), (600, 1500), (600, 1700)])
def test_a_sound_run_watched_while_it_trains_raises_no_alarm(span: tuple[int, int]) -> None:
    """At 1,200 both curves are just back from the reset at 750, and neither had risen above 600 yet."""
    told = shared("fox-a", "fox")
    run = open_run(told.run, told.data)
    assert [found.finding.says for found in diagnose(run, span).findings] == []


@pytest.mark.parametrize(("low", "high", "logged"), [(0, 215, True), (60, 255, False)], ids=["white sky", "black shadows"])
def test_blown_out_highlights_and_crushed_shadows_are_no_background(low: int, high: int, logged: bool, tmp_path: Path) -> None:
    """Outdoor captures have a pure white sky and indoor ones pure black shadows; a model must cover both, on any background."""
    told = shared("fox-a", "fox").copied(tmp_path)
    change_photos(told.data, lambda pixels: clipped(pixels, low, high), compress_level=1)
    if not logged:
        remove(told.run, "metrics.jsonl", "events*")
    assert "IF-05" not in codes(told)


def test_a_random_start_without_its_points_is_not_held_against_the_colmap_model(tmp_path: Path) -> None:
    """Without input.ply the COLMAP points stand in; Gaussians that do not lie on them say nothing about the colour formula."""
    told = shared("synth-f", "synth0").copied(tmp_path)
    remove(told.run, "input.ply")
    assert "IF-06" not in codes(told)


@pytest.mark.parametrize("scale", [0.01, 0.05])
def test_a_tiny_world_is_not_taken_for_another_frame_or_a_wide_start(scale: float, tmp_path: Path) -> None:
    """Seen from 4 or 18 cm most of it lies before a near plane of 0.2, and in the right frame all the same."""
    told = shared("synth-a", "synth1").copied(tmp_path)
    move_world(told, scale=scale, rotation=np.eye(3), shift=np.zeros(3))
    assert "N-21" in codes(told)
    assert not {"N-20", "IF-01", "TG-03"} & codes(told)
