"""The four versions of .spz differ in packing, positions and rotations; each must give the splats that were put in."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
import zstandard

from runs.arrays import Array
from runs.errors import RefusedFile, RunError, UnreadableFile
from runs.formats.splat_formats import look_at
from runs.gaussians import Gaussians
from tests.support.exchange import FOREIGN, assert_within, clipped, foreign, half_turned, source
from tests.support.exchange_files import packed_spz, spz_content

NIANTIC_SH, FULL_SH = (4.5 / 128, 8.5 / 128), (0.5 / 128, 0.5 / 128)  # half steps of band 1 and of those above: 5, 4 or 8 bits


def bounds(found: Gaussians, sh: tuple[float, float], *, version: int) -> dict[str, Array | float]:
    """Half a step: 2^-12 in space, 1/16 in log scale, 8 bits of opacity and of colour / 0.15."""
    terms = np.where(np.arange(found.sh_rest.shape[1]) < 3, *sh)[:, None]
    quats: Array | float = 3 * 0.5 / 511 / np.sqrt(2)
    if version < 3:  # w is what x, y, z leave of 1, so its error grows as it shrinks
        half = 1 / 255
        spread = 2 * half * np.abs(found.quats_wxyz[:, 1:]).sum(axis=1) + 3 * half**2
        quats = np.column_stack([np.sqrt(spread), *[np.full(found.count, half)] * 3])
    return {"means": 2.0**-13, "log_scales": 1 / 32, "quats_wxyz": quats, "opacities": 0.5 / 255, "sh0": 0.5 / 255 / 0.15,
            "sh_rest": terms}


def holdable(expected: Gaussians) -> Gaussians:
    return clipped(expected, log_scales=(-10, 255 / 16 - 10), sh0=(-0.5 / 0.15, 0.5 / 0.15), sh_rest=(-1, 127 / 128))


@pytest.mark.parametrize(("version", "degree"), [*[(3, d) for d in range(4)], *[(4, d) for d in range(5)]])
def test_niantics_own_writer(version: int, degree: int) -> None:
    """splat-transform packs by Niantic's library and turns the axes; places, rotations and SH must come back together."""
    found = foreign(f"transform_v{version}_sh{degree}.spz")
    assert_within(found, holdable(source(degree)), bounds(found, NIANTIC_SH, version=version))


@pytest.mark.parametrize("degree", range(4))
def test_version_2_by_spz_js(degree: int) -> None:
    """spz-js stores the axes of the PLY unchanged, against the format; its files are shown as they say, half a turn off."""
    found = foreign(f"spzjs_v2_sh{degree}.spz")
    assert_within(found, half_turned(holdable(source(degree))), bounds(found, NIANTIC_SH, version=2))


@pytest.mark.parametrize("version", [3, 4])
def test_gsply(version: int) -> None:
    """Another writer that leaves the axes alone, with all 8 bits of SH."""
    found = foreign(f"gsply_v{version}_sh3.spz")
    assert_within(found, half_turned(holdable(source(3))), bounds(found, FULL_SH, version=version))


def test_what_the_header_tells() -> None:
    file = look_at(FOREIGN / "transform_v4_sh2.spz")
    assert (file.format, file.count, file.sh_degree, file.keeps_rows, file.antialiased) == ("spz", 300, 2, False, False)
    assert file == look_at(file.path)
    assert file.read == look_at(file.path).read


def stored(tmp_path: Path, content: bytes, name: str = "scene.spz") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_version_1_has_half_floats(tmp_path: Path) -> None:
    """It was never released, yet costs one line."""
    content = bytearray(spz_content(1, 1))
    content[16:22] = np.array([1.5, -2.25, 0.125], np.float16).tobytes()
    found = look_at(stored(tmp_path, gzip.compress(bytes(content)))).read()
    np.testing.assert_array_equal(found.means, [[1.5, 2.25, -0.125]])


def test_ends_of_the_range_of_opacity(tmp_path: Path) -> None:
    """Alpha 0 and 255 have no finite logit; they stand for half a step, and no infinity reaches the diagnosis."""
    content = bytearray(spz_content(2, 2))
    content[16 + 18:16 + 20] = bytes([0, 255])
    found = look_at(stored(tmp_path, gzip.compress(bytes(content)))).read()
    np.testing.assert_allclose(found.opacities, [0.5 / 255, 254.5 / 255], rtol=1e-6)
    assert np.isfinite(found.logit_opacities).all()


def test_the_flag_of_antialiasing(tmp_path: Path) -> None:
    """No PLY of INRIA says whether a filter was on; .spz does."""
    assert look_at(stored(tmp_path, gzip.compress(spz_content(flags=1)))).antialiased is True


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(("axes", "signs"), [
    (0, [1, -1, -1]), (4, [1, -1, -1]), (6, [1, 1, 1]), (7, [-1, -1, 1]), (8, [1, -1, 1]),
])
def test_axes_named_by_the_extension(plain: bool, axes: int, signs: list[int], tmp_path: Path) -> None:
    """Adobe's extension says which way x, y, z point; 6 is the axes of a PLY. Another record before it is passed over."""
    records = struct.pack("<II5s", 7, 5, b"other") + struct.pack("<III", 0xADBE0003, 4, axes)
    content = bytearray(spz_content(3, 1, flags=2))
    for axis in range(3):
        content[16 + 3 * axis:19 + 3 * axis] = (1 << 12).to_bytes(3, "little")
    data = packed_spz(bytes(content), records) if plain else gzip.compress(bytes(content) + records)
    np.testing.assert_array_equal(look_at(stored(tmp_path, data)).read().means, [signs])


def test_z_up_is_refused_with_a_reason(tmp_path: Path) -> None:
    records = struct.pack("<III", 0xADBE0003, 4, 12)
    with pytest.raises(UnreadableFile, match="z axis up"):
        look_at(stored(tmp_path, gzip.compress(spz_content(flags=2) + records)))


def test_members_one_after_another(tmp_path: Path) -> None:
    """gzip written in parallel has many members; the size at the end is then of the last one only."""
    content = (FOREIGN / "transform_v3_sh1.spz").read_bytes()
    plain = gzip.decompress(content)
    path = stored(tmp_path, b"".join(gzip.compress(plain[at:at + 999]) for at in range(0, len(plain), 999)))
    np.testing.assert_array_equal(look_at(path).read().sh_rest, foreign("transform_v3_sh1.spz").sh_rest)


@pytest.mark.parametrize("name", ["transform_v3_sh1.spz", "transform_v4_sh1.spz"])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.99])
def test_half_a_file_is_told_when_it_is_looked_at(name: str, share: float, tmp_path: Path) -> None:
    """A file that is being written must not become a checkpoint."""
    content = (FOREIGN / name).read_bytes()
    with pytest.raises(UnreadableFile):
        look_at(stored(tmp_path, content[:int(share * len(content))]))


def test_bombs_are_refused(tmp_path: Path) -> None:
    """A few kilobytes must not claim gigabytes."""
    small = gzip.compress(bytes(10_000))
    head = spz_content(2, 0)[:8] + struct.pack("<IBBBB", 2**31 - 1, 4, 12, 0, 0)
    with pytest.raises(RefusedFile, match="claims to unpack"):
        look_at(stored(tmp_path, gzip.compress(head) + small))
    plain = struct.pack("<4sIIBBBBI12x", b"NGSP", 4, 2**31 - 1, 0, 12, 0, 5, 32)
    with pytest.raises(RefusedFile, match="claims to unpack"):
        look_at(stored(tmp_path, plain + bytes(1000)))


def test_a_stream_that_holds_more_is_not_unpacked(tmp_path: Path) -> None:
    """A zstd stream of zeros can be a thousand times its table's size."""
    content = packed_spz(spz_content(3, 1))
    bomb = zstandard.compress(bytes(10_000_000))
    table = bytearray(content[:32 + 80])
    table[32:40] = struct.pack("<Q", len(bomb))
    first = int.from_bytes(content[32:40], "little")
    path = stored(tmp_path, bytes(table) + bomb + content[112 + first:])
    with pytest.raises(UnreadableFile, match="does not hold"):
        look_at(path).read().load("means")


@pytest.mark.parametrize(("content", "kind"), [
    (gzip.compress(spz_content(9)), UnreadableFile), (gzip.compress(spz_content(bits=31)), RefusedFile),
    (b"NGSP" + struct.pack("<I", 3) + bytes(24), UnreadableFile), (b"not a splat", UnreadableFile), (b"", UnreadableFile),
])
def test_other_contents(content: bytes, kind: type[RunError], tmp_path: Path) -> None:
    with pytest.raises(kind):
        look_at(stored(tmp_path, content))
