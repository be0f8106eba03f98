"""Exposures explain images that train darker than their photos; a wrong matrix would accuse the wrong image."""

import json
from pathlib import Path

import numpy as np
import pytest

from runs.errors import UnreadableFile
from runs.formats.cameras.exposure import read_exposures
from tests.support.data import shared_data


def test_matrices_are_read_by_image_name(tmp_path: Path) -> None:
    """Non-finite values stay: they are evidence of a diverged exposure."""
    path = tmp_path / "exposure.json"
    path.write_text(json.dumps({"a.jpg": [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, float("nan"), 0]]}))
    matrix = read_exposures(path)["a.jpg"]
    assert matrix.shape == (3, 4)
    assert matrix[0, 3] == 0.5
    assert np.isnan(matrix[2, 2])


@pytest.mark.parametrize(
    "matrix", [[[1, 0], [0, 1]], "x", None, [[1, 2, 3, 4], [1, 2, 3], [1, 2, 3, 4]], {"a": 1}, [[10**400] * 4] * 3]
)
def test_another_shape_names_the_image(tmp_path: Path, matrix: object) -> None:
    """The file is rewritten at every save and may be caught half-way or come from a fork."""
    path = tmp_path / "exposure.json"
    path.write_text(json.dumps({"good": np.eye(3, 4).tolist(), "bad.jpg": matrix}))
    with pytest.raises(UnreadableFile, match=r"bad\.jpg is not a 3x4 matrix"):
        read_exposures(path)


def test_inrias_own_file_is_the_identity() -> None:
    """Written even where exposure was not trained."""
    exposures = read_exposures(shared_data("inria-real", "exposure.json"))
    assert len(exposures) == 304
    assert all((matrix == np.eye(3, 4)).all() for matrix in exposures.values())
