"""checkpoint.resume: splats bit for bit, moments where they can be told, and no file of any bytes that brings the reader down."""

import struct
import tracemalloc
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from runs.errors import RefusedFile, RunError, UnreadableFile
from runs.formats.lichtfeld.adam import Adam, read_adam
from runs.formats.lichtfeld.resume import look, read_resume, read_settings
from runs.formats.splat_formats import look_at
from tests.support.files import random_gaussians
from tests.support.lichtfeld_writer import PARAMS, Written, adam_of, tensor
from tests.support.written import assert_same_gaussians

SMALL = random_gaussians(7, degree=1, seed=4)
COLUMNS = ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "sh_rest")


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_splats_come_back_bit_for_bit(degree: int, tmp_path: Path) -> None:
    """Every column, through the look that every file of splats gets."""
    gaussians = random_gaussians(40, degree=degree, seed=degree)
    path = Written(gaussians, iteration=12_345, active_degree=min(degree, 1)).write(tmp_path / "checkpoint.resume")
    file = look_at(path)
    assert (file.format, file.count, file.sh_degree, file.iteration) == ("LichtFeld checkpoint", 40, degree, 12_345)
    assert_same_gaussians(file.read(), gaussians)
    resume = read_resume(path)
    assert (resume.strategy, resume.scene_scale, resume.active_sh_degree) == ("mcmc", 2.5, min(degree, 1))
    assert read_settings(resume) == PARAMS
    assert look_at(path) == file


def test_deleted_splats_are_left_out(tmp_path: Path) -> None:
    """Pruned rows wait for reuse with a rotation of zero: drawn or judged, they would be a fault of the file alone."""
    gone = np.array([0, 1, 0, 0, 1, 0, 0], bool)
    path = Written(SMALL, deleted=gone).write(tmp_path / "checkpoint.resume")
    file = look(path)
    assert (file.count, file.keeps_rows, read_resume(path).rows) == (5, False, 7)
    assert_same_gaussians(file.read(), SMALL.take(~gone))
    assert file.notes == ("holds 2 deleted splats of 7, which wait for reuse and are left out",)


@pytest.mark.parametrize("strategy", ["mcmc", "mrnf", "igs+", "default"])
@pytest.mark.parametrize("weave", [False, True])
def test_moments_of_float32_come_back_bit_for_bit(strategy: str, weave: bool, tmp_path: Path) -> None:
    """Each strategy stores its optimiser first; colours may lie as the GPU has them."""
    gaussians = random_gaussians(70, degree=3)
    told = adam_of(gaussians)
    path = Written(gaussians, strategy=strategy, adam=told, weave=weave).write(tmp_path / "checkpoint.resume")
    adam = read_adam(read_resume(path))
    assert isinstance(adam, Adam)
    assert not adam.approximate
    names = {"means": "xyz", "sh0": "f_dc", "shN": "f_rest", "scaling": "scaling", "rotation": "rotation", "opacity": "opacity"}
    assert set(adam.groups) == set(names.values())
    for own, name in names.items():
        group = adam.groups[name]
        assert (group.name, group.learning_rate, group.step, group.eps) == (name, told[own].learning_rate, 29_999, 1e-15)
        np.testing.assert_array_equal(group.exp_avg, told[own].exp_avg)
        np.testing.assert_array_equal(group.exp_avg_sq, told[own].exp_avg_sq)


@pytest.mark.parametrize("weave", [False, True])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_moments_of_eight_bits_are_within_half_a_step(weave: bool, degree: int, tmp_path: Path) -> None:
    """Coded around 128, the root of the second moment; what comes back is off by no more than the coding allows."""
    gaussians = random_gaussians(33, degree=degree)
    told = adam_of(gaussians, seed=degree)
    told["means"].exp_avg[3] = 0
    told["means"].exp_avg_sq[3] = 0
    path = Written(gaussians, adam=told, adam_version=2, weave=weave).write(tmp_path / "checkpoint.resume")
    adam = read_adam(read_resume(path))
    assert isinstance(adam, Adam)
    assert adam.approximate
    for own, name in (("means", "xyz"), ("opacity", "opacity"), *([("shN", "f_rest")] if degree else [])):
        first, second = adam.groups[name].exp_avg, adam.groups[name].exp_avg_sq
        _, (step, root_step) = Written.codes(told[own])
        rows = (33, *([1] * (first.ndim - 1)))
        assert (np.abs(first - told[own].exp_avg) <= 0.51 * step.reshape(rows)).all()
        assert (np.abs(np.sqrt(second) - np.sqrt(told[own].exp_avg_sq)) <= 0.51 * root_step.reshape(rows)).all()
    assert not adam.groups["xyz"].exp_avg[3].any()  # a splat that was never seen stays one


def test_moments_of_deleted_splats_go_with_them(tmp_path: Path) -> None:
    """Row i of a moment is of splat i."""
    gone, told = np.array([1, 0, 0, 0, 0, 1, 0], np.uint8), adam_of(SMALL)
    for version in (1, 2):
        adam = read_adam(read_resume(Written(SMALL, deleted=gone, adam=told, adam_version=version).write(tmp_path / "c.resume")))
        assert isinstance(adam, Adam)
        np.testing.assert_allclose(adam.groups["rotation"].exp_avg, told["rotation"].exp_avg[gone == 0], atol=1e-6)


@pytest.mark.parametrize(("changes", "says"), [
    ({"adam": None}, "saved without"), ({"strategy": "new"}, "the strategy new"), ({"adam_version": 3}, "a newer version"),
])
def test_what_cannot_be_told_is_said(changes: dict[str, Any], says: str, tmp_path: Path) -> None:
    """No guess over what a strategy stores; the splats open all the same."""
    written = replace(Written(SMALL, adam=adam_of(SMALL)), **changes)
    resume = read_resume(written.write(tmp_path / "checkpoint.resume"))
    found = read_adam(resume)
    assert isinstance(found, str)
    assert says in found
    assert_same_gaussians(look(resume.path).read(), SMALL)


def test_moments_of_another_shape_are_left_out(tmp_path: Path) -> None:
    """A group that does not fit its parameter keeps its rate and step, and nothing is made up."""
    told = adam_of(SMALL)
    told["scaling"] = replace(told["scaling"], exp_avg=np.zeros((6, 3), np.float32), exp_avg_sq=np.zeros((6, 3), np.float32))
    told["shN"] = replace(told["shN"], exp_avg=np.zeros(100, np.float32), exp_avg_sq=np.zeros(100, np.float32))
    adam = read_adam(read_resume(Written(SMALL, adam=told).write(tmp_path / "checkpoint.resume")))
    assert isinstance(adam, Adam)
    assert [adam.groups[name].exp_avg is None for name in ("scaling", "f_rest", "xyz")] == [True, True, False]
    assert adam.groups["scaling"].step == 29_999


def patched(content: bytes, at: int, code: str, value: float) -> bytes:
    packed = struct.pack(f"<{code}", value)
    return content[:at] + packed + content[at + len(packed):]


WHOLE = Written(SMALL, adam=adam_of(SMALL)).content()
FIRST_TENSOR = 40 + 4 + 4 + 20  # header, name, head of the splats


@pytest.mark.parametrize(("at", "code", "value", "kind"), [
    (4, "I", 99, UnreadableFile), (8, "i", -1, UnreadableFile), (12, "I", 8, UnreadableFile), (16, "i", 2, UnreadableFile),
    (24, "Q", 2**63, RefusedFile), (24, "Q", 8, RefusedFile), (32, "Q", 2**63, RefusedFile), (32, "Q", 2**24 + 1, RefusedFile),
    (40, "I", 2**31, UnreadableFile), (40, "I", 0, UnreadableFile), (48, "I", 1, UnreadableFile), (52, "I", 9, UnreadableFile),
    (56, "i", 7, UnreadableFile), (FIRST_TENSOR, "I", 0, UnreadableFile), (FIRST_TENSOR + 8, "B", 6, UnreadableFile),
    (FIRST_TENSOR + 10, "H", 65_535, UnreadableFile), (FIRST_TENSOR + 16, "Q", 2**62, RefusedFile),
    (FIRST_TENSOR + 24, "Q", 2**61, RefusedFile), (FIRST_TENSOR + 24, "Q", 8, RefusedFile),
])
def test_a_hostile_number_is_refused(at: int, code: str, value: int, kind: type[RunError], tmp_path: Path) -> None:
    """In one sentence: sizes are compared with the file before anything is taken."""
    path = tmp_path / "checkpoint.resume"
    path.write_bytes(patched(WHOLE, at, code, value))
    tracemalloc.start()
    with pytest.raises(kind) as raised:
        look(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * 2**20
    assert raised.value.file == path
    assert ";" in raised.value.says


def test_dimensions_that_multiply_to_the_right_number_are_not_enough(tmp_path: Path) -> None:
    """2⁶³ · 2 wraps to 0 in 64 bits; Python's numbers do not wrap."""
    head = tensor(np.zeros((0, 3), np.float32))
    hostile = head[:16] + struct.pack("<QQQ", 0, 2**63, 2) + head[40:]
    path = tmp_path / "checkpoint.resume"
    path.write_bytes(WHOLE[:FIRST_TENSOR] + hostile + WHOLE[FIRST_TENSOR:])
    with pytest.raises(RunError):
        look(path)


@pytest.mark.parametrize("kept", [0, 3, 39, 40, 60, 300, -1])
def test_a_file_that_is_cut_off_is_told(kept: int, tmp_path: Path) -> None:
    """The trainer replaces the file at once, but a copy may stop anywhere."""
    path = tmp_path / "checkpoint.resume"
    path.write_bytes(WHOLE[:kept])
    with pytest.raises(RunError, match=r"copy it again|once it is written|is no checkpoint"):
        look(path)


def test_a_header_that_was_not_finished_is_told(tmp_path: Path) -> None:
    """It is written first without the place of the settings."""
    path = tmp_path / "checkpoint.resume"
    path.write_bytes(patched(patched(WHOLE, 24, "Q", 0), 32, "Q", 0))
    with pytest.raises(UnreadableFile, match="not whole"):
        look(path)


def test_a_file_that_changed_is_not_read_as_the_old_one(tmp_path: Path) -> None:
    """Each save replaces the same file."""
    path = Written(SMALL).write(tmp_path / "checkpoint.resume")
    gaussians = look(path).read()
    Written(random_gaussians(9, degree=1)).write(path)
    with pytest.raises(UnreadableFile, match="has changed"):
        _ = gaussians.means


@pytest.mark.parametrize("params", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000])
def test_settings_that_are_no_object_are_told(params: bytes, tmp_path: Path) -> None:
    """And the splats open."""
    start = len(WHOLE) - struct.unpack_from("<Q", WHOLE, 32)[0]
    path = tmp_path / "checkpoint.resume"
    path.write_bytes(patched(WHOLE[:start] + params, 32, "Q", len(params)))
    with pytest.raises(UnreadableFile):
        read_settings(read_resume(path))
    assert look(path).count == 7


def everything(path: Path) -> None:
    """All that can be read of one file."""
    file = look(path)
    for name in COLUMNS:
        file.read().load(name)
    resume = read_resume(path)
    for name in resume.tensors:
        resume.values(name)
    read_settings(resume)
    read_adam(resume)


SEEDS = (WHOLE, Written(SMALL, adam=adam_of(SMALL), adam_version=2, weave=True, deleted=np.zeros(7, bool),
                        densification=np.zeros((2, 7), np.float32)).content())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.sampled_from(SEEDS), at=st.floats(0, 1), cut=st.booleans(), noise=st.binary(min_size=1, max_size=9))
@example(seed=SEEDS[0], at=0.0, cut=True, noise=b"\0")
def test_any_damage_is_refused_or_read(seed: bytes, at: float, cut: bool, noise: bytes, tmp_path: Path) -> None:
    """Truncated anywhere, or with any bytes anywhere: numbers, or one clear error."""
    path = tmp_path / "checkpoint.resume"
    place = int(at * (len(seed) - 1))
    path.unlink(missing_ok=True)  # an earlier read may still map it
    path.write_bytes(seed[:place] if cut else seed[:place] + noise + seed[place + len(noise):])
    with suppress(RunError):
        everything(path)
