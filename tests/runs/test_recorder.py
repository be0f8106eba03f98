"""Recorder: what it writes inside a training loop is what happened there, and Splat Doctor reads it back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.arrays import I64, Array
from runs.errors import UnreadableFile
from runs.formats.logs.metrics import read_jsonl
from runs.lineage.recorded import lineage_of, recorded
from runs.recorder import ADDED, CLONE, FOLDER, HALF, LOG, RELOCATED, STAYED, Recorder

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the recorder runs beside it")


class Model:
    """Rows as INRIA's GaussianModel holds them, with the steps by which it changes them."""

    def __init__(self, count: int) -> None:
        rng = np.random.default_rng(0)
        self._xyz, self._features_dc = rng.normal(size=(count, 3)).astype("f4"), rng.normal(size=(count, 1, 3)).astype("f4")

    def densification_postfix(self, new_xyz: Array, new_features_dc: Array, reset_params: bool = True) -> None:
        assert reset_params in (True, False)
        self._xyz = np.concatenate([self._xyz, new_xyz])
        self._features_dc = np.concatenate([self._features_dc, new_features_dc])

    def prune_points(self, mask: Array) -> None:
        self._xyz, self._features_dc = self._xyz[~mask], self._features_dc[~mask]

    def densify(self, clones: I64, splits: I64, pruned: I64) -> None:
        """In the order of INRIA's trainer."""
        self.densification_postfix(self._xyz[clones], self._features_dc[clones])
        halves = np.tile(splits, 2)
        self.densification_postfix(self._xyz[halves] + 0.1, self._features_dc[halves])
        self.prune_points(np.isin(np.arange(len(self._xyz)), splits))
        self.prune_points(np.isin(np.arange(len(self._xyz)), pruned))


def adam(**groups: Any) -> Any:
    """torch's, over parameters that have gradients of ones."""
    parameters = {name: torch.nn.Parameter(torch.zeros(shape)) for name, shape in groups.items()}
    for parameter in parameters.values():
        parameter.grad = torch.ones_like(parameter)
    return torch.optim.Adam([{"params": [value], "name": name, "lr": 0.5} for name, value in parameters.items()])


def counted(folder: Path) -> tuple[float, ...]:
    """Clones, splits and prunes of the first densification."""
    series = read_jsonl(folder / LOG).series
    return tuple(float(series[f"densify/{name}"].values[0]) for name in ("cloned", "split", "pruned"))


def test_the_log_holds_what_the_optimiser_did(tmp_path: Path) -> None:
    """Gradient norms and learning rates per group, the count, and any number the user adds; one row in `every`."""
    record = Recorder(tmp_path, every=5)
    optimiser = adam(xyz=(4, 3), opacity=(4, 1))
    for iteration in range(1, 12):
        record.step(iteration, optimiser, loss=torch.tensor(iteration / 10), depth=2.0)
    series = read_jsonl(tmp_path / LOG).series
    assert list(series["num_gaussians"].iterations) == [1, 5, 10]
    assert set(series["num_gaussians"].values) == {4}
    np.testing.assert_allclose(series["grad_norm/xyz"].values, np.sqrt(12))
    np.testing.assert_allclose(series["grad_norm/opacity"].values, 2)
    np.testing.assert_allclose(series["lr/xyz"].values, 0.5)
    np.testing.assert_allclose(series["loss/total"].values, [0.1, 0.5, 1.0], rtol=1e-6)
    np.testing.assert_allclose(series["raw/depth"].values, 2)


def test_gsplat_groups_get_the_names_of_the_others(tmp_path: Path) -> None:
    """A mapping of optimisers, one per group, logs under the same canonical names."""
    optimisers = {"means": torch.optim.Adam([{"params": [torch.nn.Parameter(torch.zeros(2, 3))], "lr": 0.1, "name": "means"}])}
    Recorder(tmp_path).step(1, optimisers)
    assert list(read_jsonl(tmp_path / LOG).series["lr/xyz"].values) == [0.1]


def test_lineage_of_inria_is_exact_over_several_densifications(tmp_path: Path) -> None:
    """Between two saves many densifications may lie; the record leads back to the first row all the same."""
    model = Model(40)
    identities = model._features_dc[:, 0, 0].copy()  # inherited to the bit, so they tell the truth
    record = Recorder(tmp_path, model)
    for iteration in (100, 200, 300):
        record.step(iteration, adam(xyz=(1, 3)))
        rows = len(model._xyz)
        model.densify(np.arange(0, rows, 9), np.arange(4, rows, 7), np.arange(2, rows, 15))
    record.close()
    found = recorded(tmp_path, 100, 300, 40)
    assert found is not None
    np.testing.assert_array_equal(identities[found.rows], model._features_dc[:, 0, 0])
    assert set(found.kinds) == {STAYED, CLONE, HALF}
    lineage, births = lineage_of(found, 40)
    np.testing.assert_array_equal(identities[lineage.before], model._features_dc[lineage.after, 0, 0])
    np.testing.assert_array_equal(np.sort(np.concatenate([lineage.before, lineage.gone])), np.arange(40))
    assert (births.survives == np.isin(births.parent, lineage.before)).all()
    assert counted(tmp_path) == (5, 6, 3)
    assert (tmp_path / FOLDER / "lineage_0000300.npz").is_file()
    assert "densification_postfix" not in vars(model)  # let go


def test_a_densification_that_is_not_asked_for_is_left_out(tmp_path: Path) -> None:
    """A save lies before or after the densification of its iteration: one too many would shift every row."""
    model = Model(30)
    record = Recorder(tmp_path, model)
    for iteration in (100, 200):
        record.step(iteration, adam(xyz=(1, 3)))
        model.densify(np.arange(3), np.arange(5, 8), np.arange(0))
        if iteration == 100:
            after_first = model._features_dc.copy()
    record.close()
    found = recorded(tmp_path, 200, 200, len(after_first))
    assert found is not None
    np.testing.assert_array_equal(after_first[found.rows], model._features_dc)
    assert recorded(tmp_path, 201, 300, 30) is None


def test_lineage_of_gsplat_by_its_own_operations(tmp_path: Path) -> None:
    """The record is made by wrapping gsplat's own functions, so it must hold for what they really do."""
    default = pytest.importorskip("gsplat.strategy.default", reason="gsplat is not installed")
    params, optimisers = splats(25)
    names = params["sh0"].detach().numpy()[:, 0, 0].copy()
    record = Recorder(tmp_path, default.DefaultStrategy())
    record.step(600, optimisers)
    chosen = torch.arange(25) % 5 == 0
    default.duplicate(params, optimisers, {}, chosen)
    default.split(params, optimisers, {}, torch.arange(30) % 7 == 3)
    default.remove(params, optimisers, {}, torch.arange(len(params["means"])) % 11 == 4)
    record.close()
    found = recorded(tmp_path, 600, 600, 25)
    assert found is not None
    np.testing.assert_array_equal(names[found.rows], params["sh0"].detach().numpy()[:, 0, 0])
    assert default.duplicate.__module__ == "gsplat.strategy.ops"  # let go
    assert counted(tmp_path) == (5, 4, 3)


def test_relocations_of_mcmc_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that changed place keep their number, so only the record tells them from a jump."""
    mcmc = pytest.importorskip("gsplat.strategy.mcmc", reason="gsplat is not installed")
    # CUDA computes the shared opacities and scales; what they are does not matter here.
    monkeypatch.setattr("gsplat.strategy.ops.compute_relocation", lambda **known: (known["opacities"], known["scales"]))
    params, optimisers = splats(20)
    names = params["sh0"].detach().numpy()[:, 0, 0].copy()
    record = Recorder(tmp_path, mcmc.MCMCStrategy())
    record.step(600, optimisers)
    mcmc.relocate(params, optimisers, {}, torch.arange(20) < 3, torch.zeros(1), 0.005)
    mcmc.sample_add(params, optimisers, {}, 4, torch.zeros(1), 0.005)
    record.close()
    found = recorded(tmp_path, 600, 600, 20)
    assert found is not None
    np.testing.assert_array_equal(names[found.rows], params["sh0"].detach().numpy()[:, 0, 0])
    np.testing.assert_array_equal(found.kinds, [RELOCATED] * 3 + [STAYED] * 17 + [ADDED] * 4)


def splats(count: int) -> tuple[Any, Any]:
    """As gsplat's trainer holds them."""
    torch.manual_seed(0)
    shapes = {"means": (count, 3), "scales": (count, 3), "quats": (count, 4), "opacities": (count,), "sh0": (count, 1, 3)}
    params = torch.nn.ParameterDict({name: torch.nn.Parameter(torch.randn(shape)) for name, shape in shapes.items()})
    return params, {name: torch.optim.Adam([{"params": [params[name]], "lr": 1e-3, "name": name}]) for name in params}


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip"])
def test_a_damaged_record_is_told(tmp_path: Path, content: bytes) -> None:
    """Half a record leads to wrong rows; it is named, and rows are matched by order instead."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "lineage_0000100.npz").write_bytes(content)
    with pytest.raises(UnreadableFile):
        recorded(tmp_path, 100, 100, 10)


def test_a_record_of_other_rows_is_refused(tmp_path: Path) -> None:
    """A training that was begun anew in the same folder leaves records that do not fit."""
    model = Model(30)
    record = Recorder(tmp_path, model)
    record.step(100, adam(xyz=(1, 3)))
    model.densify(np.arange(3), np.arange(5, 8), np.arange(0))
    record.close()
    with pytest.raises(UnreadableFile, match="of other rows"):
        recorded(tmp_path, 100, 100, 10)


def test_nothing_else_can_be_followed(tmp_path: Path) -> None:
    """A wrong argument is told at once, not after a night of training."""
    with pytest.raises(ValueError, match="neither"):
        Recorder(tmp_path, object())
