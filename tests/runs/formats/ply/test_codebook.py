"""reduced-3dgs stores places in codebooks, sorted by SH degree; each must come back as the number that was meant."""

from pathlib import Path

import numpy as np
import pytest
from plyfile import PlyData

from runs.errors import UnreadableFile
from runs.formats.ply.codebook import look
from runs.formats.splat_formats import look_at
from runs.gaussians import COLUMNS
from tests.support.files import as_element, inria_columns, random_gaussians

BOOKS = ("features_dc", *(f"features_rest_{i}" for i in range(15)), "opacity", "scaling", "rotation_re", "rotation_im")
COUNTS = (3, 0, 4, 2)  # splats of each SH degree



def as_short(values: np.ndarray) -> np.ndarray:
    """As plyfile needs half floats: their bits as 2-byte integers."""
    return values.astype(np.float16).view(np.int16)


def book_of(name: str, rest: int) -> str:
    kind, _, number = name.rpartition("_")
    if kind == "f_rest":
        return f"features_rest_{int(number) % rest}"
    if kind == "rot":
        return "rotation_re" if number == "0" else "rotation_im"
    return {"": "opacity", "scale": "scaling", "f_dc": "features_dc"}[kind]


def write(path: Path, *, quantised: bool, half: bool) -> list[dict[str, np.ndarray]]:
    """Write as reduced-3dgs does; the values that each element means, by INRIA's property names."""
    rng = np.random.default_rng(3)
    books = {name: rng.normal(0, 2, 256).astype(np.float16 if half else np.float32) for name in BOOKS}
    elements, meant = [], []
    for degree, count in enumerate(COUNTS):
        columns = inria_columns(random_gaussians(count, degree=degree, seed=degree), normals=False)
        stored, means = {}, {}
        for name, values in columns.items():
            if quantised and name not in ("x", "y", "z"):
                stored[name] = rng.integers(0, 256, count).astype(np.uint8)
                means[name] = books[book_of(name, (degree + 1) ** 2 - 1)][stored[name]]
            else:
                stored[name] = as_short(values) if half else values.astype(np.float32)
                means[name] = values.astype(np.float16) if half else values
        elements.append(as_element(f"vertex_{degree}", stored))
        meant.append({name: values.astype(np.float32) for name, values in means.items()})
    if quantised:
        elements.append(as_element("codebook_centers", {name: as_short(book) if half else book for name, book in books.items()}))
    PlyData(elements).write(str(path))
    return meant


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("quantised", [False, True])
def test_every_group_comes_back(quantised: bool, half: bool, tmp_path: Path) -> None:
    """All four layouts of the trainer; bands that a group does not store are zero."""
    meant = write(tmp_path / "point_cloud.ply", quantised=quantised, half=half)
    file = look_at(tmp_path / "point_cloud.ply")
    assert (file.count, file.sh_degree, file.keeps_rows) == (9, 3, False)
    assert file.format == ("codebook PLY" if quantised else "grouped PLY")
    assert file == look(tmp_path / "point_cloud.ply")
    found = file.read()
    start = 0
    for degree, columns in enumerate(meant):
        end = start + COUNTS[degree]
        names = {"means": ("x", "y", "z"), "sh0": ("f_dc_0", "f_dc_1", "f_dc_2"), "log_scales": ("scale_0", "scale_1", "scale_2"),
                 "quats_wxyz": ("rot_0", "rot_1", "rot_2", "rot_3")}
        for column, stored in names.items():
            np.testing.assert_array_equal(found.load(column)[start:end], np.stack([columns[name] for name in stored], axis=1))
        np.testing.assert_array_equal(found.logit_opacities[start:end], columns["opacity"])
        bands = (degree + 1) ** 2 - 1
        for band in range(15):
            stored = [columns.get(f"f_rest_{channel * bands + band}") for channel in range(3)] if band < bands else []
            expected = np.stack(stored, axis=1) if stored else np.zeros((end - start, 3))
            np.testing.assert_array_equal(found.sh_rest[start:end, band], expected)
        start = end
    assert all(found.load(name).dtype == np.float32 for name in (*COLUMNS, "sh_rest"))


def test_a_place_beyond_the_codebook_is_named(tmp_path: Path) -> None:
    """Reading past a short codebook must not invent a number."""
    columns = {**inria_columns(random_gaussians(2, degree=0), normals=False)}
    stored = {name: values if name in "xyz" else np.array([0, 7], np.uint8) for name, values in columns.items()}
    books = {name: np.zeros(7, np.float32) for name in BOOKS}
    PlyData([as_element("vertex_0", stored), as_element("codebook_centers", books)]).write(str(tmp_path / "short.ply"))
    with pytest.raises(UnreadableFile, match="beyond its codebook"):
        _ = look(tmp_path / "short.ply").read().sh0


@pytest.mark.parametrize("lacking", ["rot_2", "opacity", "f_rest_8", "features_rest_2"])
def test_what_is_missing_is_named(lacking: str, tmp_path: Path) -> None:
    """A header that lacks a property is refused when the file is opened, not when a column is used."""
    columns = inria_columns(random_gaussians(2, degree=1), normals=False)
    stored = {name: values if name in "xyz" else np.zeros(2, np.uint8) for name, values in columns.items() if name != lacking}
    books = {name: np.zeros(256, np.float32) for name in BOOKS if name != lacking}
    PlyData([as_element("vertex_1", stored), as_element("codebook_centers", books)]).write(str(tmp_path / "short.ply"))
    with pytest.raises(UnreadableFile, match="lacks"):
        look(tmp_path / "short.ply")
