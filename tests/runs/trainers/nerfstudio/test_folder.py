"""nerfstudio's folders: one checkpoint holds everything, and cameras stand where only the data set and one small file tell."""

from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from runs.advice import UNFINISHED
from runs.arrays import F64
from runs.cameras import Camera
from runs.errors import NotARun, RunError
from runs.gaussians import Gaussians
from runs.open_run import open_run, reopen
from runs.run import Run
from runs.trainers.nerfstudio.settings import RESET, read_config
from runs.trainers.nerfstudio.world import read_movement
from runs.writers.torch_zip import write_torch_file
from tests.support.colmap_writer import write_binary
from tests.support.files import random_gaussians, write_points, write_splats
from tests.support.models import model_of
from tests.support.nerfstudio_writer import config_yml, orient, write_checkpoint, write_movement, write_transforms
from tests.support.runs import points_of, ring_cameras
from tests.support.written import assert_same_gaussians

TURN = np.array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]])  # of nerfstudio's converters
ANY = Rotation.from_euler("xyz", [0.3, -1.1, 2.0]).as_matrix()
GROUP = {"means": "xyz", "features_dc": "f_dc", "features_rest": "f_rest", "opacities": "opacity", "scales": "scaling",
         "quats": "rotation"}


def says(run: Run) -> list[str]:
    return [note.says for note in run.notes]


def begun(folder: Path, **options: Any) -> Path:
    """A run that has written its settings and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yml").write_text(config_yml("/nowhere/scene", **options), encoding="utf-8")
    return folder


@pytest.fixture
def uneven() -> tuple[Camera, ...]:
    """Twenty views that no symmetry of the ring can put in another's place."""
    rng = np.random.default_rng(1)
    cameras = ring_cameras(20, size_px=(640, 480))
    moved = (c.world_from_camera + np.pad(rng.normal(0, 0.3, (3, 1)), ((0, 1), (3, 0))) for c in cameras)
    return tuple(replace(c, world_from_camera=pose, split=None) for c, pose in zip(cameras, moved, strict=True))


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


def pixels(camera: Camera, xyz: F64) -> F64:
    """Where points of the camera's world fall."""
    seen = xyz @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
    return np.stack([camera.fx * seen[:, 0] / seen[:, 2] + camera.cx, camera.fy * seen[:, 1] / seen[:, 2] + camera.cy], axis=1)


def assert_same_views(run: Run, cameras: tuple[Camera, ...], transform: F64, scale: float) -> None:
    """A point of the original world, moved as the trainer moves points, falls on the same pixel of every view."""
    xyz = np.random.default_rng(0).normal(0, 0.5, (30, 3))
    moved = scale * (xyz @ transform[:, :3].T + transform[:, 3])
    told = {camera.name: camera for camera in cameras}
    assert {camera.name for camera in run.cameras} == set(told)
    for camera in run.cameras:
        np.testing.assert_allclose(pixels(camera, moved), pixels(told[camera.name], xyz), atol=1e-4)


class TestCameras:
    """The data set's cameras, turned, centred and scaled as training had them."""

    @pytest.mark.parametrize("converted", [np.eye(4), TURN, np.vstack([np.column_stack([ANY, [0.3, 2.0, -1.0]]), [0, 0, 0, 1]])])
    @pytest.mark.parametrize("scale", [1.0, 2.5])
    def test_views_of_transforms_json(self, converted: F64, scale: float, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """Whatever its converter did before. Where that scaled, the run's file maps no point exactly, but cameras it does."""
        transform, size = orient(uneven, converted, ANY, scale)
        write_transforms(tmp_path / "data" / "transforms.json", uneven, converted=converted, scale=scale)
        write_movement(begun(tmp_path / "run"), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        stored = np.stack([scale * (converted @ [*camera.centre, 1])[:3] for camera in uneven])
        turned = (stored - stored.mean(axis=0)) @ ANY.T
        expected = dict(zip([camera.name for camera in uneven], turned / np.abs(turned).max(), strict=True))
        assert {camera.name for camera in run.cameras} == set(expected)
        for camera in run.cameras:
            np.testing.assert_allclose(camera.centre, expected[camera.name], atol=1e-9)
        if scale == 1:
            assert_same_views(run, uneven, transform, size)

    @pytest.mark.parametrize("in_movement", [True, False])
    def test_a_conversion_that_was_not_stored(self, in_movement: bool, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """Older converters stored none; whether the trainer knew of it depends on its version, and the middle tells."""
        transform, size = orient(uneven, TURN, ANY)
        without, _ = orient(uneven, TURN, ANY)
        if not in_movement:
            without = (np.vstack([transform, [0, 0, 0, 1]]) @ np.linalg.inv(TURN))[:3]
        write_transforms(tmp_path / "data" / "transforms.json", uneven, converted=TURN, stored=False)
        (tmp_path / "data" / "colmap" / "sparse" / "0").mkdir(parents=True)
        write_movement(begun(tmp_path / "run"), transform if in_movement else without, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert_same_views(run, uneven, transform, size)

    def test_views_of_a_colmap_model(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """`ns-train splatfacto … colmap`: views are ordered by the model's image numbers, every eighth is held out."""
        turn = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
        transform, size = orient(uneven, turn, ANY)
        backwards = uneven[::-1]
        points = points_of(random_gaussians(12))
        write_binary(model_of(backwards, points), tmp_path / "data" / "sparse" / "0")
        write_movement(begun(tmp_path / "run", colmap=True), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert_same_views(run, uneven, transform, size)
        assert [camera.name for camera in run.cameras] == [camera.name for camera in backwards]
        assert [i for i, camera in enumerate(run.cameras) if camera.split == "test"] == [0, 8, 16]
        np.testing.assert_allclose(run.input_points.xyz, size * (points.xyz @ transform[:, :3].T + transform[:, 3]))
        np.testing.assert_allclose(run.sfm_points.xyz, points.xyz)

    def test_points_of_transforms_json(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """What the Gaussians began from lies among the cameras, in the run's world."""
        transform, size = orient(uneven, np.eye(4), ANY)
        xyz = random_gaussians(12).means
        write_points(tmp_path / "data" / "sparse_pc.ply", xyz, np.full((12, 3), 9))
        write_transforms(tmp_path / "data" / "transforms.json", uneven, points="sparse_pc.ply")
        write_movement(begun(tmp_path / "run"), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        np.testing.assert_allclose(run.input_points.xyz, size * (xyz.astype(float) @ transform[:, :3].T + transform[:, 3]))
        random = begun(tmp_path / "random", settings={"random_init": True})
        write_movement(random, transform, size)
        assert open_run(random, tmp_path / "data").input_points is None

    def test_another_scene_shows_no_cameras(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """Wrong cameras would raise wrong alarms: those of another data set are told by their middle and size."""
        transform, size = orient(uneven, np.eye(4), ANY)
        write_transforms(tmp_path / "data" / "transforms.json", ring_cameras(20, radius=5.0))
        write_movement(begun(tmp_path / "run"), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert run.cameras == ()
        assert "are not those that were trained on" in says(run)[0]

    def test_without_the_small_file_there_are_none(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """The run alone does not tell where it moved the scene."""
        write_transforms(tmp_path / "data" / "transforms.json", uneven)
        run = open_run(begun(tmp_path / "run"), tmp_path / "data")
        assert run.cameras == ()
        assert "no dataparser_transforms.json" in says(run)[0]

    def test_without_data_one_sentence_says_how(self, tmp_path: Path) -> None:
        """Nothing else is missed aloud."""
        run = open_run(begun(tmp_path))
        assert (run.cameras, run.photos, run.input_points, run.sfm_points) == ((), {}, None, None)
        assert says(run) == ["stores no cameras; name the data folder that it was trained on to see them (--data)"]

    @pytest.mark.parametrize(("parser", "held_out"), [
        ({"eval_mode": "fraction", "train_split_fraction": 0.9}, [9, 18]),
        ({"eval_mode": "fraction", "train_split_fraction": 1.0}, []),
        ({"eval_mode": "interval", "eval_interval": 7}, [0, 7, 14]),
        ({"eval_mode": "all"}, []),
    ])
    def test_views_are_held_out_as_the_parser_does(
        self, parser: dict[str, Any], held_out: list[int], uneven: tuple[Camera, ...], tmp_path: Path,
    ) -> None:
        """By place in the order of paths; the fraction spreads the trained ones from first to last."""
        transform, size = orient(uneven, np.eye(4), ANY)
        write_transforms(tmp_path / "data" / "transforms.json", uneven[::-1])
        write_movement(begun(tmp_path / "run", parser=parser), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert [i for i, camera in enumerate(run.cameras) if camera.split == "test"] == held_out
        assert [camera.name for camera in run.cameras] == sorted(camera.name for camera in uneven)

    def test_lists_in_the_file_win(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """train_filenames and val_filenames override every rule."""
        transform, size = orient(uneven, np.eye(4), ANY)
        names = [f"images/{camera.name}" for camera in uneven]
        write_transforms(tmp_path / "data" / "transforms.json", uneven, train_filenames=names[3:], val_filenames=names[:3])
        write_movement(begun(tmp_path / "run"), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert [camera.split for camera in run.cameras] == ["test"] * 3 + ["train"] * 17

    @pytest.mark.parametrize(("parser", "folders", "factor"), [
        ({"downscale_factor": 4}, (), 4), ({}, (2, 4), 2), ({}, (), 1), ({}, (4,), 1),
    ])
    def test_photos_are_shrunken_as_the_parser_does(
        self, parser: dict[str, Any], folders: tuple[int, ...], factor: int, uneven: tuple[Camera, ...], tmp_path: Path,
    ) -> None:
        """Above 1,600 px by halves, as far as folders of smaller photos are there; sizes are rounded down, lenses are not."""
        large = tuple(camera.resized((3_001, 2_001)) for camera in uneven)
        transform, size = orient(large, np.eye(4), ANY)
        write_transforms(tmp_path / "data" / "transforms.json", large)
        for folder in folders:
            path = tmp_path / "data" / f"images_{folder}" / large[0].name
            path.parent.mkdir()
            path.write_bytes(b"never opened")
        write_movement(begun(tmp_path / "run", parser=parser), transform, size)
        camera = open_run(tmp_path / "run", tmp_path / "data").cameras[0]
        assert camera.size_px == (3_001 // factor, 2_001 // factor)
        np.testing.assert_allclose((camera.fx, camera.cy), (large[0].fx / factor, large[0].cy / factor))


class TestPoseDeltas:
    """How far the camera optimizer moved each trained view."""

    def test_rows_belong_to_the_trained_views(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """In the parser's order, those held out left out."""
        pytest.importorskip("torch")
        transform, size = orient(uneven, np.eye(4), ANY)
        write_transforms(tmp_path / "data" / "transforms.json", uneven)
        write_movement(begun(tmp_path / "run"), transform, size)
        rows = np.arange(18 * 6).reshape(18, 6) / 1024
        write_checkpoint(tmp_path / "run", 9, random_gaussians(3, degree=1), poses=rows)
        run = open_run(tmp_path / "run", tmp_path / "data")
        trained = [camera.name for camera in run.cameras if camera.split == "train"]
        assert list(run.pose_deltas) == trained
        np.testing.assert_array_equal(np.stack(list(run.pose_deltas.values())), rows)

    def test_without_names_places_are_told(self, tmp_path: Path) -> None:
        """No data set is at hand."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), 9, random_gaussians(3, degree=1), poses=np.ones((4, 6)))
        assert list(open_run(tmp_path).pose_deltas) == [0, 1, 2, 3]

    def test_without_a_camera_optimizer_there_are_none(self, tmp_path: Path) -> None:
        """It is off by default."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), 9, random_gaussians(3, degree=1))
        assert open_run(tmp_path).pose_deltas == {}


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
    transform, size = orient(uneven, np.eye(4), ANY)
    write_transforms(tmp_path / "scene" / "transforms.json", uneven)
    run = tmp_path / "outputs" / "scene" / "splatfacto" / "2026-01-01_000000"
    write_movement(run, transform, size)
    (run / "config.yml").write_text(config_yml(str(PurePosixPath(tmp_path / "scene"))), encoding="utf-8")
    assert len(open_run(run).cameras) == 20
