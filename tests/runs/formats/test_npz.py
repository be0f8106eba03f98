"""Numpy's archives carry SLAM runs and importance scores; reading them must be exact, cheap, and never run a pickle."""

import io
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from runs.errors import RefusedFile, UnreadableFile
from runs.formats.npz import npz_names, read_npy, read_npz
from tests.support.hostile import only_our_error

DTYPES = st.sampled_from(["?", "i1", "u1", "<i2", ">i4", "<i8", "<u8", "<f2", ">f4", "<f4", "<f8", "<c8", "<U5", "S3"])
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
ARRAYS = DTYPES.flatmap(lambda code: arrays.arrays(np.dtype(code), SHAPES))
HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }"


@settings(max_examples=150)
@given(values=st.dictionaries(st.from_regex(r"[a-zA-Z_]\w{0,9}", fullmatch=True), ARRAYS, max_size=4), packed=st.booleans(),
       fortran=st.booleans())
def test_what_numpy_writes_comes_back(
    values: dict[str, np.ndarray], packed: bool, fortran: bool, tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Any number type, byte order, shape and memory order; numpy is the writer, so it is an independent witness."""
    path = tmp_path_factory.mktemp("npz") / "params.npz"
    stored = {name: np.asfortranarray(array) if fortran else array for name, array in values.items() if name != "file"}
    (np.savez_compressed if packed else np.savez)(path, **stored)
    assert npz_names(path) == tuple(stored)
    found = read_npz(path)
    assert len(found) == len(stored)
    for name, array in stored.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert not found[name].flags.writeable
        assert found[name].tobytes() == array.tobytes()


def test_a_plain_array_is_mapped_and_not_copied(tmp_path: Path) -> None:
    """A SLAM run's npz has hundreds of megabytes; looking at one array must not read the others, nor copy that one."""
    np.savez(tmp_path / "params.npz", means3D=np.ones((1 << 19, 3), np.float32), other=np.zeros(1 << 20))
    np.save(tmp_path / "one.npy", np.arange(1 << 20))
    tracemalloc.start()
    try:
        means = read_npz(tmp_path / "params.npz")["means3D"]
        one = read_npy(tmp_path / "one.npy")
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert means.sum() == 3 << 19
    assert one[-1] == (1 << 20) - 1
    assert taken < 1 << 19


def test_object_arrays_are_refused(tmp_path: Path) -> None:
    """numpy stores them as a pickle, which could run anything."""
    np.savez(tmp_path / "evil.npz", fine=np.arange(3), evil=np.array([{"a": 1}], object))
    found = read_npz(tmp_path / "evil.npz")
    assert found["fine"].tolist() == [0, 1, 2]
    with pytest.raises(RefusedFile, match="Python objects"):
        _ = found["evil"]
    with pytest.raises(KeyError):
        _ = found["absent"]


def test_structured_arrays_are_refused(tmp_path: Path) -> None:
    """Their description nests Python literals without end; no trainer writes them."""
    np.save(tmp_path / "table.npy", np.zeros(2, [("a", "f4"), ("b", "i4")]))
    with pytest.raises(RefusedFile, match="never need"):
        read_npy(tmp_path / "table.npy")


def npy(header: str, body: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + body


@pytest.mark.parametrize("shape", [
    "1000000000000,", "99999, 99999, 99999", "0, 999999999999999", "0, 999999999999999, 999999999999999", "-1,", "9" * 300 + ",",
])
def test_hostile_shapes_allocate_nothing(shape: str, tmp_path: Path) -> None:
    """A claimed size is compared with the file before memory is taken; an empty array of any shape is harmless."""
    path = tmp_path / "huge.npy"
    path.write_bytes(npy(HEADER % f"({shape})", bytes(64)))
    with only_our_error(path):
        assert read_npy(path).size == 0


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """400 MB of zeros fit into 400 KB."""
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.npy", npy(HEADER % "(100000000,)", bytes(400_000_000)))
    tracemalloc.start()
    try:
        with pytest.raises(RefusedFile, match="claims to unpack to"):
            _ = read_npz(path)["zeros"]
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_a_bomb_that_lies_about_its_size_costs_what_it_claims(tmp_path: Path) -> None:
    """The directory says 200 bytes, the stream goes on for 100 MB."""
    path = tmp_path / "liar.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.npy", npy(HEADER % "(25000000,)", bytes(100_000_000)))
    content = path.read_bytes()
    true = (100_000_000 + len(npy(HEADER % "(25000000,)"))).to_bytes(4, "little")
    assert content.count(true) == 2
    path.write_bytes(content.replace(true, (200).to_bytes(4, "little")))
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableFile, match="claims an array of"):
            _ = read_npz(path)["zeros"]
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def saved(packed: bool) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(buffer, means3D=np.ones((4, 3), np.float32), timestep=np.arange(4))
    return buffer.getvalue()


@settings(max_examples=200)
@given(noise=st.binary(min_size=1, max_size=30), at=st.integers(0, 700), cut=st.integers(0, 900), packed=st.booleans())
def test_damage_ends_in_a_run_error(
    noise: bytes, at: int, cut: int, packed: bool, tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Whatever byte is wrong, the user gets one sentence about this file."""
    path = tmp_path_factory.mktemp("damaged") / "params.npz"
    content = bytearray(saved(packed))
    content[at:at + len(noise)] = noise
    path.write_bytes(bytes(content[:cut]))
    with only_our_error(path):
        found = read_npz(path)
        for name in found:
            with only_our_error(path):
                _ = found[name]


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "is empty"), (b"ply\n", "no zip"), (b"PK\x03\x04" + bytes(40), "no finished zip")],
)
def test_other_files_are_named(content: bytes, says: str, tmp_path: Path) -> None:
    """The name says .npz, the first bytes say what it is."""
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=says):
        read_npz(path)
