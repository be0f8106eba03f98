"""A checkpoint may come from anyone; reading it must give the same tensors as torch would and never run anything."""

import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from runs.errors import RefusedFile, RunError, UnreadableFile
from runs.formats.torch_file import is_unfinished, read_torch_file
from runs.writers.torch_zip import Call, Global, Stored, parameter, rebuild
from tests.support.data import shared_data
from tests.support.files import random_gaussians
from tests.support.hostile import only_our_error
from tests.support.torch_zip import TorchZip, numpy_scalar, write_inria_state

TENSORS = hnp.arrays(st.sampled_from([np.float32, np.float64, np.float16, np.int64, np.int32, np.uint8, np.bool_]),
                     hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))


@settings(max_examples=60, deadline=None)
@given(values=TENSORS, order=st.sampled_from(["little", "big"]))
def test_any_tensor_comes_back_read_only(values: np.ndarray, order: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Type, shape, byte order and values are what the trainer saved; nobody may write into the mapped file."""
    archive = TorchZip(order)
    path = archive.write(tmp_path_factory.mktemp("torch") / "tensor.pth", {"t": values, "p": parameter(archive.tensor(values))})
    read = read_torch_file(path)
    assert list(read) == ["t", "p"]
    for found in read.values():
        assert found.shape == values.shape
        assert found.dtype.newbyteorder("=") == values.dtype
        assert not found.flags.writeable
        np.testing.assert_array_equal(found, values)


def test_views_share_their_storage(tmp_path: Path) -> None:
    """Offset and strides select a part of a storage; ignoring them shows other numbers."""
    archive = TorchZip()
    storage = archive.store(np.arange(12, dtype=np.float32))
    read = read_torch_file(archive.write(tmp_path / "views.pth", [
        rebuild(storage, 1, (2, 2), (4, 2)), rebuild(storage, 0, (4, 3), (1, 4)), rebuild(storage, 11, (), ()),
        rebuild(storage, 12, (0, 3), (3, 1)),
    ]))
    np.testing.assert_array_equal(read[0], [[1, 3], [5, 7]])
    np.testing.assert_array_equal(read[1], np.arange(12).reshape(3, 4).T)
    assert read[2] == 11
    assert read[3].shape == (0, 3)


@pytest.mark.parametrize(("offset", "shape", "stride"), [
    (0, (13,), (1,)), (-1, (2,), (1,)), (0, (2, 2), (11, 1)), (5, (4, 2), (2, 2)), (0, (2,), (-1,)), (0, (1 << 40,), (0,)),
    (0, (1 << 60, 0), (1, 1)), (0, (2,), (1, 1)), (0, ("2",), (1,)), (1 << 70, (1,), (1,)), (0, (2, 3, 3), (0, 1, 1)),
])
def test_a_tensor_cannot_reach_outside_its_storage(offset: int, shape: tuple, stride: tuple, tmp_path: Path) -> None:
    """Hostile strides would read foreign memory, hostile shapes would exhaust it."""
    archive = TorchZip()
    value = rebuild(archive.store(np.zeros(12, np.float32)), offset, shape, stride)
    with pytest.raises(RefusedFile, match=r"impossible sizes|outside its own numbers"):
        read_torch_file(archive.write(tmp_path / "hostile.pth", value))


def test_a_storage_cannot_claim_more_than_it_holds(tmp_path: Path) -> None:
    """The claimed length is the pickle's word against the zip's."""
    archive = TorchZip()
    archive.store(np.zeros(3, np.float32))
    for key, count in (("0", 4), ("7", 1)):
        with pytest.raises(UnreadableFile, match=r"claims 4 values|lacks its part"):
            read_torch_file(archive.write(tmp_path / "claims.pth", rebuild(Stored(key, "FloatStorage", count), 0, (1,), (1,))))


def test_bfloat16_is_widened(tmp_path: Path) -> None:
    """numpy has no bfloat16; its bits are the upper half of a float32."""
    values = np.array([1.5, -2.0, 0.0078125], np.float32)
    archive = TorchZip()
    storage = archive.store((values.view(np.uint32) >> 16).astype("u2").view(np.float16), "BFloat16Storage")
    read = read_torch_file(archive.write(tmp_path / "bf16.pth", rebuild(storage, 0, (3,), (1,))))
    np.testing.assert_array_equal(read, values)


@pytest.mark.parametrize("core", ["numpy.core", "numpy._core"])
def test_numpy_scalars_of_both_generations(core: str, tmp_path: Path) -> None:
    """INRIA stores the cameras' extent as a numpy scalar, the reason why torch's own safe mode refuses these files."""
    path = TorchZip().write(tmp_path / "scalar.pth", numpy_scalar(4.0959, core))
    assert read_torch_file(path) == 4.0959


class Attack:
    """Asks the unpickler to create a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple:
        return exec, (f"open({str(self.marker)!r}, 'w').close()",)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_that_wants_to_run_code_is_refused_by_name(protocol: int, tmp_path: Path) -> None:
    """The attack works against Python's own unpickler, so it is a real one; ours must name the function and not call it."""
    marker = tmp_path / "ran"
    hostile = pickle.dumps(([1, 2], Attack(marker)), protocol)
    pickle.loads(hostile)
    assert marker.exists()
    marker.unlink()
    path = TorchZip().write(tmp_path / "evil.pth", None, pickle=hostile)
    with pytest.raises(RefusedFile) as caught:
        read_torch_file(path)
    module = "__builtin__" if protocol == 2 else "builtins"
    assert caught.value.says == (
        f"this checkpoint asks to run `{module}.exec`, which no checkpoint needs, so it was not opened; "
        "delete it unless you trust who made it"
    )
    assert not marker.exists()


@pytest.mark.parametrize(("module", "name"), [
    ("os", "system"), ("posix", "system"), ("builtins", "getattr"), ("torch", "load"), ("torch.hub", "load"), ("numpy", "load"),
    ("collections", "namedtuple"), ("runs.formats.torch_file", "read_torch_file"),
    ("torch._utils", "_rebuild_tensor_v2.__globals__"),
])
def test_only_listed_names_resolve(module: str, name: str, tmp_path: Path) -> None:
    """Neighbours of the allowed names, dotted paths and our own functions are all out of reach."""
    path = TorchZip().write(tmp_path / "name.pth", Global(module, name))
    with pytest.raises(RefusedFile) as caught:
        read_torch_file(path)
    assert f"`{module}.{name}`" in caught.value.says


@pytest.mark.parametrize("described", [
    b"\x80\x02r\xff\xff\xff\x7f.", b"\x80\x02Nr\xff\xff\xff\x7f.", b"\x80\x02X\xff\xff\xff\xff.",
    b"\x80\x02\x8b\xff\xff\xff\x7f.",
    b"\x80\x02)" + b"\x85" * 200_000 + b"}q\x00h\x000}h\x00K\x01s.", b"\x80\x02K\x01K\x02R.",
    b"\x80\x02ios\nsystem\n.", b"\x80\x02cos\nsystem\n.", b"", b"\x80\x02", b"\x80\x02.",
    b"garbage", b"\x80\x02]K\x01s.", b"\x80\x04]]\x93.",
    b"\x80\x02" + b"\x88" * (5 << 20) + b".",
])
def test_pathological_pickles_end_in_a_sentence(described: bytes, tmp_path: Path) -> None:
    """Giant memo indexes, deep tuples as keys, missing marks: each has crashed or exhausted some unpickler."""
    path = TorchZip().write(tmp_path / "odd.pth", None, pickle=described)
    says = ""
    try:
        read_torch_file(path)
    except RunError as error:
        says = error.says
    assert says or described == b"\x80\x02Nr\xff\xff\xff\x7f."


@pytest.mark.parametrize("name", ["device", "Size"])
@pytest.mark.parametrize("argument", [b")" + b"2\x86" * 200, b")" + b"\x85" * 200_000], ids=["doubled", "deep"])
def test_arguments_that_grow_when_they_are_written_out(name: str, argument: bytes, tmp_path: Path) -> None:
    """A pair of the pair of a pair, 200 times, takes 400 bytes in the file and 2^200 as a text."""
    pickled = b"\x80\x02ctorch\n" + name.encode() + b"\n" + argument + b"\x85R."
    path = TorchZip().write(tmp_path / "laughs.pth", None, pickle=pickled)
    with only_our_error(path):
        read_torch_file(path)


def test_deeply_nested_tuples_are_no_key(tmp_path: Path) -> None:
    """Hashing a tuple nested 200,000 deep overflows the C stack and ends the process."""
    path = TorchZip().write(tmp_path / "deep.pth", None, pickle=b"\x80\x02})" + b"\x85" * 200_000 + b"K\x01s.")
    with pytest.raises(RefusedFile, match="neither a text nor a number"):
        read_torch_file(path)


@settings(max_examples=150, deadline=None)
@given(noise=st.binary(min_size=1, max_size=40), where=st.floats(0, 1), cut=st.floats(0, 1))
def test_damage_ends_in_a_run_error(noise: bytes, where: float, cut: float, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever byte is wrong, the user gets a sentence and the window stays open."""
    path = write_inria_state(tmp_path_factory.mktemp("damaged") / "chkpnt7.pth", random_gaussians(3, degree=1), 7)
    content = bytearray(path.read_bytes())
    at = int(where * len(content))
    content[at:at + len(noise)] = noise
    path.write_bytes(bytes(content[: int((0.5 + cut / 2) * len(content)) + 1]))
    with only_our_error(path):
        read_torch_file(path)


@pytest.mark.parametrize(("content", "kind", "says"), [
    (b"", UnreadableFile, "is empty"),
    (b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", UnreadableFile, "ends early"),
    (b"\x80\x04N.", UnreadableFile, "bare pickle"),
    (b"PKFL" + bytes(60), UnreadableFile, "LichtFeld"),
    (b"PK\x03\x04" + bytes(60), UnreadableFile, "no finished zip file; open the run again once it is written"),
    (b"ply\n", UnreadableFile, "not a torch checkpoint"),
])
def test_other_kinds_of_file_are_named(content: bytes, kind: type[RunError], says: str, tmp_path: Path) -> None:
    """The name says .pth, the first bytes say what it is."""
    path = tmp_path / "x.pth"
    path.write_bytes(content)
    with pytest.raises(kind, match=says):
        read_torch_file(path)


def test_torchscript_is_refused(tmp_path: Path) -> None:
    """TorchScript is a program in a zip that looks like a checkpoint."""
    path = TorchZip().write(tmp_path / "mlp.pt", {}, extra={"code/__torch__.py": b"", "constants.pkl": b""})
    with pytest.raises(RefusedFile, match="TorchScript program"):
        read_torch_file(path)


def test_a_checkpoint_that_is_still_being_written_is_recognised(tmp_path: Path) -> None:
    """torch writes the zip's directory last, so a file without it is unfinished."""
    path = write_inria_state(tmp_path / "chkpnt7.pth", random_gaussians(3), 7)
    assert not is_unfinished(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert is_unfinished(path)
    path.write_bytes(b"")
    assert is_unfinished(path)


def test_a_real_checkpoint_of_torch() -> None:
    """Our writer and reader could share a mistake; this file was written by torch itself."""
    path = shared_data("runs", "synth-a", "chkpnt2000.pth")
    capture, iteration = read_torch_file(path)
    assert iteration == 2000
    assert [getattr(item, "shape", type(item)) for item in capture[:4]] == [int, (4851, 3), (4851, 1, 3), (4851, 15, 3)]
    assert np.isfinite(capture[1]).all()
    first = struct.unpack("<f", path.read_bytes()[_offset_of_first_storage(path):][:4])[0]
    assert capture[1][0, 0] == np.float32(first)


def _offset_of_first_storage(path: Path) -> int:
    content = path.read_bytes()
    at = content.index(b"/data/0") - len("chkpnt2000") - 30
    name, extra = struct.unpack_from("<HH", content, at + 26)
    return at + 30 + name + extra


def test_state_after_a_call_is_ignored_unless_needed(tmp_path: Path) -> None:
    """module.state_dict() is an OrderedDict whose attributes arrive by BUILD; they hold nothing that we read."""
    value = Call(Global("collections", "OrderedDict"), state={"_metadata": {"version": 1}})
    assert read_torch_file(TorchZip().write(tmp_path / "d.pth", value)) == {}
