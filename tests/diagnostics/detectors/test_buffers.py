"""Limits of buffers and screen-covering splats: public cases come out right, and large trainings raise no alarm."""

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.diagnosis import Diagnosis
from diagnostics.registry import DETECTORS
from runs.run import Run, Trainer
from tests.diagnostics.fixtures.buffers import BRUSH, buffer_too_big, tiles_exhaust_memory
from tests.diagnostics.fixtures.memory import crashed, died, out_of_memory
from tests.support.runs import changed, ring_cameras
from tests.support.training import LAST, healthy_run, moved, start

MODULES = ("diagnostics.detectors.memory", "diagnostics.detectors.memory_use", "diagnostics.detectors.buffers")
FAMILY = {name: detector for name, detector in DETECTORS.items() if detector.judge.__module__ in MODULES}


def diagnosed(run: Run) -> Diagnosis:
    """By this family alone: other findings about a made-up run are not the subject."""
    return diagnose(run, detectors=FAMILY)


def codes(run: Run) -> set[str]:
    return {f.pattern.code for f in diagnosed(run).findings}


def growing(to: float, *, trainer: Trainer = BRUSH, until: int = LAST, degree: int = 3) -> Run:
    counts = {i: to * i / until for i in range(100, until + 1, 100)}
    parts = {"settings": {"sh_degree": degree}, "checkpoints": {}, "states": {}, "trainer": trainer}
    return healthy_run(series={"num_gaussians": counts}, **parts)


def test_brush_500_is_a_buffer_limit_and_no_lack_of_memory() -> None:
    """Star 19: 11,234,315 × 192 bytes pass 2³¹ with 14 of 24 GB in use; "use a larger GPU" would not help."""
    diagnosis = diagnosed(buffer_too_big())
    assert {f.pattern.code for f in diagnosis.findings} == {"N-15"}
    (found,) = (f for f in diagnosis.findings if f.pattern.code == "N-15")
    assert "11,234,315 Gaussians × 192 bytes" in found.finding.says
    assert found.severity == "critical"
    assert any("11,184,810" in fix.do for fix in found.fixes)  # 2³¹ / 192


@pytest.mark.parametrize(("degree", "found"), [(3, True), (2, False)])
def test_the_limit_of_a_buffer_depends_on_the_colours(degree: int, found: bool) -> None:
    """9.5 million Gaussians are 85 % of the buffer at degree 3 and 48 % at degree 2."""
    assert ("N-15" in codes(growing(9.5e6, degree=degree))) is found


def test_a_trainer_without_that_buffer_is_not_warned() -> None:
    """INRIA's trainer and gsplat allocate by CUDA, where no buffer ends at 2³¹ bytes: a false alarm otherwise."""
    for name in ("inria", "gsplat"):
        assert "N-15" not in codes(growing(1.1e7, trainer=Trainer(name, 0.9, "made up")))


def test_the_original_mcmc_cannot_sample_beyond_16_million() -> None:
    """torch.multinomial ends at 2²⁴; gsplat went round it (pull request 338)."""
    assert "N-15" in codes(growing(1.5e7, trainer=Trainer("3dgs-mcmc", 0.9, "made up")))
    assert "N-15" not in codes(growing(1.5e7, trainer=Trainer("gsplat", 0.9, "made up")))


def test_an_overflowed_index_is_a_limit() -> None:
    """gaussian-splatting#28: the size of the list passed 2³¹ and became negative."""
    event = died("RuntimeError: Storage size calculation overflowed with sizes=[-2139761793]", 1020)
    assert codes(crashed(event)) == {"N-15"}


def test_2dgs_97_is_the_list_of_tiles() -> None:
    """35.79 GiB asked for with 0.99 GiB in use: no spike of densification, no fragmentation."""
    assert codes(tiles_exhaust_memory()) == {"N-16"}


def test_inria_890_is_the_list_of_tiles() -> None:
    """61 KiB per Gaussian: the limit of 64 KiB that was first thought of would have missed this report."""
    event = out_of_memory(1500, request="7.94 GiB", allocated="3.10 GiB", capacity="11.00 GiB", free="7.10 GiB",
                          reserved="3.30 GiB")
    assert codes(crashed(event, count=136_029.0)) == {"N-16"}


def test_a_request_as_large_as_one_group_of_parameters_is_not() -> None:
    """180 bytes per Gaussian are the higher colours of a densification."""
    event = out_of_memory(900, request="1.01 GiB", frame="gaussian_model.py:380 in densification_postfix")
    assert codes(crashed(event, count=6e6, until=900)) == {"MF-06"}


def test_a_request_of_a_picture_with_few_gaussians_is_not() -> None:
    """512 MiB for 1,900 Gaussians are 276 KiB for each, and may be one large photo."""
    assert "N-16" not in codes(crashed(out_of_memory(1500), count=1900.0))


def swollen_view(size: tuple[int, int]) -> Run:
    """2,500 splats as large as the scene."""
    large = changed(moved(2500, 4), log_scales=np.full((2500, 3), np.log(3.0)))
    return healthy_run(checkpoints={200: start(), LAST: large}, cameras=ring_cameras(4, size_px=size))


def test_huge_splats_on_large_pictures_are_told_before_the_crash() -> None:
    """Each touches all of 47,000 tiles: 2.6 GiB for 2,500 Gaussians. On small pictures the same splats cost nothing."""
    found = [f for f in diagnosed(swollen_view((4000, 3000))).findings if f.pattern.code == "N-16"]
    assert [f.severity for f in found] == ["minor"]
    assert "N-16" not in codes(swollen_view((400, 300)))
