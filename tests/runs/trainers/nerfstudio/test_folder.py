"""nerfstudio's folders: one checkpoint holds everything, and cameras stand where only the data set and one small file tell."""

from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from runs.advice import UNFINISHED
from runs.cameras import Camera
from runs.errors import NotARun, RunError
from runs.gaussians import Gaussians
from runs.open_run import open_run, reopen
from runs.run import Run
from runs.trainers.nerfstudio.settings import RESET, read_config
from runs.trainers.nerfstudio.world import read_movement
from runs.writers.torch_zip import write_torch_file
from tests.support.files import random_gaussians, write_splats
from tests.support.nerfstudio_writer import begun, config_yml, orient, write_checkpoint, write_movement, write_transforms
from tests.support.written import assert_same_gaussians

GROUP = {"means": "xyz", "features_dc": "f_dc", "features_rest": "f_rest", "opacities": "opacity", "scales": "scaling",
         "quats": "rotation"}


def says(run: Run) -> list[str]:
    return [note.says for note in run.notes]


class TestCheckpoints:
    """Written by torch.save as the trainer does it, numpy scalars included."""

    @pytest.mark.parametrize("prefix", [
        "_model.gauss_params.", "_model.", "module._model.gauss_params.", "_model.module.gauss_params.", "module._model.",
    ])
    def test_gaussians_come_back_bit_by_bit(self, prefix: str, tmp_path: Path) -> None:
        """Before 1.0 the parameters had no name of their own; several processes put `module.` anywhere."""
        pytest.importorskip("torch")
        gaussians = random_gaussians(9, degree=3)
        write_checkpoint(begun(tmp_path), 29_999, gaussians, prefix=prefix)
        run = open_run(tmp_path)
        assert (run.trainer.name, run.iterations) == ("splatfacto", (30_000,))
        assert_same_gaussians(run.checkpoints[0].gaussians, gaussians)
        assert says(run) == []

    def test_without_harmonics_colours_are_logits(self, tmp_path: Path) -> None:
        """With sh_degree 0 the model trains the logit of RGB: read as a coefficient it would be another colour."""
        pytest.importorskip("torch")
        gaussians = random_gaussians(5, degree=0)
        rgb = np.linspace(0.02, 0.98, 15).reshape(5, 3)
        told = Gaussians.from_arrays(
            means=gaussians.means, log_scales=gaussians.log_scales, quats_wxyz=gaussians.quats_wxyz,
            logit_opacities=gaussians.logit_opacities, sh0=(rgb - 0.5) / 0.28209479177387814)
        write_checkpoint(begun(tmp_path), 9, told, logit_rgb=True)
        run = open_run(tmp_path)
        np.testing.assert_allclose(run.checkpoints[0].gaussians.sh0, told.sh0, atol=2e-6)
        assert run.checkpoints[0].sh_degree == 0
        assert "f_rest" not in run.state_files[0].state.adam
        assert run.state_files[0].state.missing == ()

    def test_adam_is_the_trainers(self, tmp_path: Path) -> None:
        """Moments, steps and rates of every group, against torch's own numbers."""
        pytest.importorskip("torch")
        told = write_checkpoint(begun(tmp_path), 2_000, random_gaussians(7, degree=1), adam_steps=4)
        (file,) = open_run(tmp_path).state_files
        state = file.state
        assert (state.iteration, state.kind, state.missing, state.statistics) == (2_001, "nerfstudio", (), {})
        for own, name in GROUP.items():
            group = state.adam[name]
            for found, expected in zip((group.exp_avg, group.exp_avg_sq), told.moments[own], strict=True):
                np.testing.assert_array_equal(found, expected)
            assert (group.step, group.learning_rate, group.eps) == (4, told.rates[own], 1e-15)

    def test_older_groups_have_other_names(self, tmp_path: Path) -> None:
        """The method of 2023 called them xyz, opacity, scaling and rotation."""
        pytest.importorskip("torch")
        names = {"means": "xyz", "opacities": "opacity", "scales": "scaling", "quats": "rotation"}
        write_checkpoint(begun(tmp_path), 1, random_gaussians(3, degree=1), prefix="_model.", names=names)
        state = open_run(tmp_path).state_files[0].state
        assert set(state.adam) == set(GROUP.values())
        assert state.missing == ()

    def test_a_group_that_never_stepped_is_missed(self, tmp_path: Path) -> None:
        """A resume starts it anew."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), 1, random_gaussians(3, degree=1), adam_steps=0)
        assert "Adam moments of opacity" in open_run(tmp_path).state_files[0].state.missing

    def test_a_file_that_is_being_written_is_not_read(self, tmp_path: Path) -> None:
        """torch writes the directory of the zip last; the checkpoint before it opens."""
        pytest.importorskip("torch")
        folder = begun(tmp_path)
        for step in (2_000, 4_000):
            write_checkpoint(folder, step, random_gaussians(3, degree=1))
        path = folder / "nerfstudio_models" / "step-000004000.ckpt"
        path.write_bytes(path.read_bytes()[:900])
        run = open_run(tmp_path)
        assert (run.iterations, len(run.state_files)) == ((2_001,), 1)
        assert says(run) == [f"left out: this checkpoint is not whole; {UNFINISHED}"]

    def test_the_trainer_deletes_older_files(self, tmp_path: Path) -> None:
        """By default only the latest is kept: a live view loses one and gains one."""
        pytest.importorskip("torch")
        folder = begun(tmp_path)
        write_checkpoint(folder, 2_000, random_gaussians(3, degree=1))
        run = open_run(tmp_path)
        write_checkpoint(folder, 4_000, random_gaussians(4, degree=1))
        (folder / "nerfstudio_models" / "step-000002000.ckpt").unlink()
        again = reopen(run)
        assert again.iterations == (4_001,)
        assert any("was deleted while the run was open" in text for text in says(again))

    def test_an_export_stands_in_for_lost_checkpoints(self, tmp_path: Path) -> None:
        """`ns-export` leaves splat.ply; of which step it is, nothing tells. Beside a checkpoint it adds nothing."""
        pytest.importorskip("torch")
        exported = random_gaussians(6, degree=1)
        write_splats(begun(tmp_path) / "splat.ply", exported)
        run = open_run(tmp_path)
        assert run.iterations == (0,)
        assert_same_gaussians(run.checkpoints[0].gaussians, exported)
        write_checkpoint(tmp_path, 29_999, random_gaussians(7, degree=1))
        assert open_run(tmp_path).iterations == (30_000,)


class TestOtherMethods:
    """nerfstudio trains many things; only some are Gaussians."""

    def test_a_radiance_field_is_refused_in_one_sentence(self, tmp_path: Path) -> None:
        """Naming what it is."""
        begun(tmp_path, method="nerfacto", model="nerfstudio.models.nerfacto.NerfactoModel")
        write_torch_file(tmp_path / "nerfstudio_models" / "step-000000009.ckpt", {
            "step": 9, "pipeline": {"_model.field.aabb": np.zeros((2, 3), np.float32)}, "optimizers": {}})
        with pytest.raises(NotARun, match="trained nerfacto, which has no Gaussians"):
            open_run(tmp_path)

    def test_a_method_made_of_splatfacto_opens_under_no_trainers_name(self, tmp_path: Path) -> None:
        """Its troubles are its own."""
        pytest.importorskip("torch")
        begun(tmp_path, method="dn-splatter", model="dn_splatter.dn_model.DNSplatterModel")
        write_checkpoint(tmp_path, 9, random_gaussians(3, degree=1))
        run = open_run(tmp_path)
        assert (run.trainer.name, run.iterations) == ("unknown", (10,))
        assert "dn-splatter" in run.trainer.why

    def test_a_checkpoint_of_a_radiance_field_alone(self, tmp_path: Path) -> None:
        """Without settings the file itself tells."""
        write_torch_file(tmp_path / "nerfstudio_models" / "step-000000009.ckpt", {
            "step": 9, "pipeline": {"_model.field.aabb": np.zeros((2, 3), np.float32)}, "optimizers": {}})
        run = open_run(tmp_path)
        assert run.checkpoints == ()
        assert "a nerfstudio method without Gaussians" in says(run)[0]


class TestSettings:
    """config.yml is a dump of Python objects: nothing of it is built."""

    def test_names_are_those_of_the_command_line(self, tmp_path: Path) -> None:
        """And INRIA's names find what means the same."""
        settings = open_run(begun(tmp_path)).settings
        assert settings.value("pipeline.model.num_downscales") == 2
        assert settings.value("pipeline.model.resolution_schedule") == 3_000
        assert settings["iterations"].name == "max_num_iterations"
        assert settings.value("densify_until_iter") == 15_000
        assert settings.value("opacity_lr") == 0.05
        assert (settings["opacity_reset_interval"].name, settings.value("opacity_reset_interval")) == (RESET, 3_000)
        assert settings.value("source_path") == "/nowhere/scene"
        assert settings.value("pipeline.model.grid_shape") == [16, 16, 8]

    def test_what_means_something_else_has_no_other_name(self, tmp_path: Path) -> None:
        """The threshold is of absolute gradients by default, and the means' rate is not multiplied by the scene's size."""
        settings = open_run(begun(tmp_path / "a")).settings
        assert settings.value("densify_grad_threshold") is None
        assert settings.value("position_lr_init") is None
        plain = open_run(begun(tmp_path / "b", settings={"use_absgrad": False, "densify_grad_thresh": 2e-4})).settings
        assert plain.value("densify_grad_threshold") == 2e-4

    def test_mcmc_is_told(self, tmp_path: Path) -> None:
        """Newer versions have gsplat's second strategy; its cap counts only there."""
        mcmc = open_run(begun(tmp_path / "a", settings={"strategy": "mcmc", "max_gs_num": 5})).settings
        other = open_run(begun(tmp_path / "b", settings={"strategy": "default", "max_gs_num": 5})).settings
        assert (mcmc.value("strategy"), mcmc.value("cap_max"), other.value("cap_max")) == ("mcmc", 5, None)

    def test_a_windows_path_stays_one(self, tmp_path: Path) -> None:
        """Its parts are stored, not its text."""
        path = tmp_path / "config.yml"
        path.write_text("data: !!python/object/apply:pathlib.WindowsPath\n- 'D:\\'\n- scenes\n- fox\n", encoding="utf-8")
        assert read_config(path).value("data") == "D:\\scenes\\fox"

    @pytest.mark.parametrize("text", ["", "[]", "a: [", "pipeline: 7", "!!python/object:nerfstudio.X 3"])
    def test_odd_settings_leave_the_rest_open(self, text: str, tmp_path: Path) -> None:
        """The checkpoints' names are enough to open a run."""
        pytest.importorskip("torch")
        write_checkpoint(tmp_path, 9, random_gaussians(3, degree=1))
        (tmp_path / "config.yml").write_text(text, encoding="utf-8")
        run = open_run(tmp_path)
        assert run.iterations == (10,)
        assert run.settings.value("iterations") is None


class TestOddFiles:
    """One clear sentence, whatever the bytes."""

    @pytest.mark.parametrize("saved", [
        7, {}, {"pipeline": {}}, {"pipeline": {}, "step": "x"}, {"pipeline": {"_model.means": 1}, "step": 3},
        {"pipeline": {f"_model.{name}": np.zeros((2, 2), np.float32) for name in ("means", "scales", "quats")}, "step": 3},
    ])
    def test_a_foreign_checkpoint_is_left_out(self, saved: Any, tmp_path: Path) -> None:
        """The run opens without it."""
        write_torch_file(begun(tmp_path) / "nerfstudio_models" / "step-000000009.ckpt", saved)
        run = open_run(tmp_path)
        assert (run.checkpoints, run.state_files) == ((), ())
        assert says(run)[0].startswith("left out: this ")

    @given(st.binary(max_size=300) | st.sampled_from([
        b'{"transform": [[1,0,0,0],[0,1,0,0],[0,0,1,0]], "scale": 1e400}', b'{"transform": 3, "scale": 1}', b"[]",
        b'{"transform": [[2,0,0,0],[0,1,0,0],[0,0,1,0]], "scale": 1}',
        b'{"transform": [[1,0,0,0],[0,1,0,0],[0,0,1]], "scale": 1}',
    ]))
    def test_the_small_file_may_hold_anything(self, content: bytes) -> None:
        """It is read or refused."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "dataparser_transforms.json"
            path.write_bytes(content)
            with pytest.raises(RunError):
                read_movement(path)


def test_paths_of_the_recorded_data_folder_are_found(uneven: tuple[Camera, ...], tmp_path: Path) -> None:
    """Where training ran on this machine, nobody needs to name it."""
    transform, size = orient(uneven, np.eye(4), Rotation.from_euler("xyz", [0.3, -1.1, 2.0]).as_matrix())
    write_transforms(tmp_path / "scene" / "transforms.json", uneven)
    run = tmp_path / "outputs" / "scene" / "splatfacto" / "2026-01-01_000000"
    write_movement(run, transform, size)
    (run / "config.yml").write_text(config_yml(str(PurePosixPath(tmp_path / "scene"))), encoding="utf-8")
    assert len(open_run(run).cameras) == 20
