""".splat has no header, so what is read rests on its size, its name and the plausibility of its first rows."""

from pathlib import Path

import numpy as np
import pytest

from runs.errors import UnreadableFile
from runs.formats.exchange.antimatter import ROW
from runs.formats.splat_formats import look_at
from tests.support.exchange import FOREIGN, assert_within, clipped, foreign, source

SH_C0 = 0.28209479177387814


def test_values_of_gsplats_exporter() -> None:
    """It cuts bytes off instead of rounding, so they may be one step low; places and sizes are exact."""
    expected = clipped(source(0), sh0=(-0.5 / SH_C0, 0.5 / SH_C0))
    assert_within(foreign("gsplat.splat"), expected, {
        "means": 0.0, "log_scales": 1e-6, "quats_wxyz": 1 / 128, "opacities": 1 / 255, "sh0": 1 / 255 / SH_C0, "sh_rest": 0.0,
    })


def test_what_the_size_tells() -> None:
    file = look_at(FOREIGN / "gsplat.splat")
    assert (file.format, file.count, file.sh_degree, file.keeps_rows, file.antialiased) == ("splat", 300, 0, False, None)
    assert file == look_at(file.path)
    assert "254.5/255" in file.notes[0]


def test_a_size_of_zero_tells_only_that_it_was_tiny(tmp_path: Path) -> None:
    """log 0 would be -inf and count as a damaged row; the smallest float32 bounds what was meant."""
    rows = np.zeros(2, ROW)
    rows["scale"] = [[0, 1, 2], [1e-45, 1, 1]]
    rows["rgba"][:, 3] = 0, 255
    path = tmp_path / "a.splat"
    rows.tofile(path)
    found = look_at(path).read()
    np.testing.assert_allclose(found.log_scales, [[np.log(2.0**-150), 0, np.log(2)], [np.log(2.0**-149), 0, 0]], rtol=1e-6)
    np.testing.assert_allclose(found.opacities, [0.5 / 255, 254.5 / 255], rtol=1e-6)


@pytest.mark.parametrize(("content", "says"), [
    (b"", "empty"), (bytes(31), "ends inside a row"), (np.full(32, 0xFF, np.uint8).tobytes(), "does not begin with splats"),
])
def test_what_is_no_splat_file(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.splat"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=says):
        look_at(path)
