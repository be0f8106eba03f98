"""Networks from strangers: whatever the bytes are, reading them ends in a moved set or one sentence, in bounded memory."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runs.errors import RunError, UnreadableFile
from runs.trainers.moving import deformable_motion, four_d_motion
from runs.trainers.moving.layers import WIDEST
from runs.writers.torch_zip import TorchZip, write_torch_file
from tests.fuzz.targets.moving import ALL_ON, STILL, TARGETS
from tests.support.small_networks import deform_state, hexplane_state, layer


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=6), keep=st.floats(0.5, 1.0) | st.just(1.0))
def test_any_bytes_are_read_or_refused(target, cuts, keep, tmp_path: Path) -> None:
    """A few bytes changed anywhere, or an end that is missing."""
    for seed in target.seeds():
        data = bytearray(seed)
        for place, value in cuts:
            data[min(int(place * len(data)), len(data) - 1)] = value
        path = tmp_path / target.file_name
        path.write_bytes(data[: int(keep * len(data))])
        with suppress(RunError):
            target.read(path)


@pytest.mark.parametrize(("state", "read"), [
    (deform_state(), deformable_motion.read_motion),
    (hexplane_state(), lambda path: four_d_motion.read_motion(path, ALL_ON)),
])
def test_a_small_network_moves_everything(state: dict[str, np.ndarray], read: Callable[[Path], object], tmp_path: Path) -> None:
    """The seeds of the fuzz targets are valid, else the targets would only ever see refusals."""
    write_torch_file(tmp_path / "net.pth", state)
    found = read(tmp_path / "net.pth").at(STILL, 0.3)  # type: ignore[attr-defined]
    assert np.isfinite(found.means).all()
    assert (found.means != STILL.means).any(axis=1).all()


def test_a_layer_of_absurd_width_is_not_run(tmp_path: Path) -> None:
    """A file of some megabytes could ask for gigabytes at each layer."""
    state = deform_state() | layer(np.random.default_rng(0), "linear.0", 11, WIDEST + 1)
    write_torch_file(tmp_path / "deform.pth", state)
    with pytest.raises(UnreadableFile, match="impossible shape"):
        deformable_motion.read_motion(tmp_path / "deform.pth")


def test_tensors_on_one_storage_are_not_copied_out(tmp_path: Path) -> None:
    """Hundreds of planes may name the same numbers: a small file would fill the memory."""
    archive = TorchZip("little", "cpu")
    state = {name: archive.tensor(values) for name, values in hexplane_state().items()}
    plane = archive.tensor(np.ones((1, 2, 64, 64), np.float32))
    state |= {f"deformation_net.grid.grids.{level}.{i}": plane for level in range(60) for i in range(6)}
    path = archive.write(tmp_path / "deformation.pth", state)
    with pytest.raises(UnreadableFile, match="share their numbers"):
        four_d_motion.read_motion(path, ALL_ON)


def test_values_that_are_not_finite_stay_in_their_rows(tmp_path: Path) -> None:
    """A Gaussian without a place makes no other one wrong, and nothing warns."""
    broken = STILL.means.copy()
    broken[2] = np.nan
    still = STILL.take(np.arange(5))
    odd = type(still).from_arrays(**{name: still.load(name) for name in ("log_scales", "quats_wxyz", "logit_opacities", "sh0",
                                                                         "sh_rest")}, means=broken)
    write_torch_file(tmp_path / "deformation.pth", hexplane_state())
    write_torch_file(tmp_path / "deform.pth", deform_state(screw=True))
    for motion in (four_d_motion.read_motion(tmp_path / "deformation.pth", ALL_ON),
                   deformable_motion.read_motion(tmp_path / "deform.pth")):
        found, whole = motion.at(odd, 0.3), motion.at(still, 0.3)
        assert list(np.isfinite(found.means).all(axis=1)) == [True, True, False, True, True]
        np.testing.assert_array_equal(np.delete(found.means, 2, 0), np.delete(whole.means, 2, 0))
