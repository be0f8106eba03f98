"""Files of torch.save: the zip, and the pickle in it, which mutations of a whole file seldom reach."""

from pathlib import Path

import numpy as np

from runs.formats.npz import read_npy, read_npz
from runs.formats.torch.legacy import MAGIC
from runs.formats.torch_file import read_torch_file
from runs.trainers.inria.state import read_state
from runs.writers.torch_zip import Call, Global
from tests.fuzz.seeds import written
from tests.fuzz.target import Target
from tests.support.files import random_gaussians
from tests.support.torch_zip import TorchZip, inria_capture, numpy_scalar, write_inria_state


def _inria_state(path: Path) -> None:
    read_torch_file(path)
    state = read_state(path)
    for values in (state.gaussians.means, state.gaussians.sh_rest, *state.statistics.values()):
        np.sum(values)


def _in_a_zip(path: Path) -> None:
    """The bytes as the pickle of a checkpoint with one storage of 100 numbers."""
    pickle = path.read_bytes()
    whole = path.with_name("state.pth")
    whole.unlink(missing_ok=True)
    read_torch_file(TorchZip().write(whole, None, pickle=pickle, extra={"data/0": bytes(400)}))


def _pickles() -> tuple[bytes, ...]:
    archive = TorchZip()
    settings = Call(Global("copyreg", "_reconstructor"), Global("internal.configs", "Model"), Global("builtins", "object"), None,
                    state={"sh": 3, "path": Call(Global("pathlib", "PosixPath"), "/", "data")})
    numbers = Call(Global("_codecs", "encode"), "\0" * 16, "latin1")
    array = Call(Global("numpy.core.multiarray", "_reconstruct"), Global("numpy", "ndarray"), (0,), "b",
                 state=(1, (2,), Call(Global("numpy", "dtype"), "f8"), False, numbers))
    state = {"step": 6999, "splats": {"means": archive.tensor(np.zeros((3, 3), np.float32))}}
    return archive.pickled(state), archive.pickled((tuple(inria_capture(random_gaussians(1, degree=0), TorchZip())[:1]), 7)), \
        archive.pickled(numpy_scalar(4.5)), archive.pickled({"hyper_parameters": settings, "table": array})


def _legacy_file() -> bytes:
    """Before torch 1.6: pickles in a row, then the numbers; by hand, for torch is no dependency of the tests."""
    tensor = TorchZip().pickled([np.arange(4, dtype=np.float32)])
    pickles = [b"\x80\x02M\xe9\x03.", b"\x80\x02}X\x0d\0\0\0little_endian\x88s.", tensor, b"\x80\x02]X\x01\0\0\x000a."]
    return MAGIC + b"".join(pickles) + (4).to_bytes(8, "little") + np.arange(4, dtype="<f4").tobytes()


def _arrays(path: Path) -> None:
    for values in read_npz(path).values():
        np.array(values)


def _npz() -> tuple[bytes, ...]:
    arrays = {"means3D": np.ones((2, 3), np.float32), "timestep": np.arange(2), "name": np.array("a")}
    return tuple(written(lambda path, save=save: save(path, **arrays), "a.npz") for save in (np.savez, np.savez_compressed))


TARGETS = (
    Target("torch-zip", "chkpnt7.pth", _inria_state,
           lambda: (written(lambda path: write_inria_state(path, random_gaussians(2, degree=0), 7), "chkpnt7.pth"),)),
    Target("torch-pickle", "data.pkl", _in_a_zip, _pickles),
    Target("torch-legacy", "state.pth", read_torch_file, lambda: (_legacy_file(),)),
    Target("npz", "params.npz", _arrays, _npz),
    Target("npy", "one.npy", lambda path: np.array(read_npy(path)),
           lambda: (written(lambda path: np.save(path, np.ones((2, 3), ">f4")), "a.npy"),)),
)
