"""A wrong loss or a wrong gradient trains something, only not what is claimed; nobody would see it in a curve."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.optimiser.loss import Loss, Target, photometric_loss, window
from diagnostics.optimiser.settings import OptimiserSettings
from render.raster import compare
from runs.arrays import F64

MIXED, ONLY_L1, ONLY_SSIM = (OptimiserSettings(lambda_dssim=share) for share in (0.2, 0.0, 1.0))


def pictures(seed: int = 0, height: int = 23, width: int = 17) -> tuple[F64, F64]:
    rng = np.random.default_rng(seed)
    photo = rng.random((height, width, 3))
    return np.clip(photo + 0.2 * rng.standard_normal(photo.shape), 0, 1), photo


def test_scores_are_those_of_compare() -> None:
    picture, photo = pictures()
    loss = photometric_loss(picture, Target(photo), MIXED)
    assert loss.ssim == pytest.approx(compare.ssim(picture, photo), abs=1e-12)
    assert loss.psnr == pytest.approx(compare.psnr(picture, photo), abs=1e-9)
    assert loss.l1 == pytest.approx(np.abs(picture - photo).mean(), abs=1e-12)
    assert loss.total == pytest.approx(0.8 * loss.l1 + 0.2 * (1 - loss.ssim), abs=1e-12)


@pytest.mark.parametrize("size", [(23, 17), (5, 40), (1, 1), (64, 64)], ids=str)
@pytest.mark.parametrize("settings", [MIXED, ONLY_L1, ONLY_SSIM], ids=["mixed", "l1", "ssim"])
def test_gradient_is_that_of_autograd(size: tuple[int, int], settings: OptimiserSettings) -> None:
    torch = pytest.importorskip("torch", reason="autograd is the proof of the gradient")
    picture, photo = pictures(1, *size)
    x, y = (torch.tensor(image, requires_grad=True) for image in (picture, photo))
    total = torch_loss(torch, x, y, settings.lambda_dssim)
    total.backward()
    loss = photometric_loss(picture, Target(photo), settings)
    assert loss.total == pytest.approx(float(total.detach()), abs=1e-12)
    np.testing.assert_allclose(loss.rgb_gradient, x.grad.numpy(), atol=1e-13, rtol=0)


def torch_loss(torch, x, y, share: float):  # type: ignore[no-untyped-def]  # torch is not always there
    """The loss written plainly: SSIM by conv2d with a full 11×11 window, zero padded."""
    kernel = torch.tensor(np.outer(window(np.dtype(float)), window(np.dtype(float))))[None, None].repeat(3, 1, 1, 1)

    def blurred(image):  # type: ignore[no-untyped-def]
        return torch.nn.functional.conv2d(image.permute(2, 0, 1)[None], kernel, padding=5, groups=3)

    mean_x, mean_y = blurred(x), blurred(y)
    variance_x, variance_y = blurred(x * x) - mean_x**2, blurred(y * y) - mean_y**2
    covariance = blurred(x * y) - mean_x * mean_y
    likeness = (2 * mean_x * mean_y + 1e-4) * (2 * covariance + 9e-4)
    ssim = (likeness / ((mean_x**2 + mean_y**2 + 1e-4) * (variance_x + variance_y + 9e-4))).mean()
    return (1 - share) * (x - y).abs().mean() + share * (1 - ssim)


def test_float32_agrees_with_float64() -> None:
    """Training runs in float32: six digits of the gradient must survive it."""
    picture, photo = pictures(2, 64, 64)
    exact = photometric_loss(picture, Target(photo), MIXED)
    fast = photometric_loss(picture.astype(np.float32), Target(photo.astype(np.float32)), MIXED)
    assert fast.rgb_gradient.dtype == np.float32
    assert fast.total == pytest.approx(exact.total, abs=1e-6)
    scale = np.abs(exact.rgb_gradient).max()
    np.testing.assert_allclose(fast.rgb_gradient, exact.rgb_gradient, atol=1e-4 * scale, rtol=0)


def test_a_picture_outside_0_to_1_keeps_its_gradient_and_is_clipped_for_psnr() -> None:
    """Trainers clip before they evaluate, never before they optimise."""
    photo = np.full((16, 16, 3), 0.5)
    loss = photometric_loss(np.full((16, 16, 3), 2.0), Target(photo), ONLY_L1)
    assert (loss.rgb_gradient > 0).all()
    assert loss.psnr == pytest.approx(-10 * np.log10(0.25))


def test_masked_pixels_have_no_gradient_and_count_as_right() -> None:
    picture, photo = pictures(3)
    mask = np.zeros(photo.shape[:2])
    mask[:, :8] = 1
    loss = photometric_loss(picture, Target(photo * mask[..., None], mask), MIXED)
    assert (loss.rgb_gradient[:, 8:] == 0).all()
    assert np.abs(loss.rgb_gradient[:, :8]).min() > 0
    assert loss.l1 == pytest.approx(np.abs(picture - photo)[:, :8].sum() / photo.size, abs=1e-12)


def test_perfect_picture_costs_nothing() -> None:
    _, photo = pictures(4)
    loss = photometric_loss(photo, Target(photo), MIXED)
    assert (loss.l1, loss.psnr) == (0, float("inf"))
    assert loss.total == pytest.approx(0, abs=1e-12)
    assert np.abs(loss.rgb_gradient).max() < 1e-12


def test_dynamic_range_is_ssims_on_other_numbers() -> None:
    """SSIM fed with 0..255 and constants for 0..1 is SSIM on 0..1 with a dynamic range of 1/255: one fault of the lab."""
    picture, photo = pictures(5)
    small = photometric_loss(picture, Target(photo), ONLY_SSIM, dynamic_range=1 / 255)
    large = photometric_loss(picture * 255, Target(photo * 255), ONLY_SSIM)
    assert small.ssim == pytest.approx(large.ssim, abs=1e-9)
    np.testing.assert_allclose(small.rgb_gradient, 255 * large.rgb_gradient, atol=1e-10)


def test_nan_reaches_the_loss() -> None:
    """A debugger must not swallow what it looks for."""
    picture, photo = pictures(6)
    picture[3, 3] = np.nan
    loss = photometric_loss(picture, Target(photo), MIXED)
    assert np.isnan([loss.l1, loss.ssim, loss.psnr, loss.total]).all()


def test_a_loss_is_a_value_that_a_faulty_recipe_may_replace() -> None:
    picture, photo = pictures(7)
    loss = photometric_loss(picture, Target(photo), MIXED)
    louder: Loss = replace(loss, total=255 * loss.total, rgb_gradient=255 * loss.rgb_gradient)
    assert louder.psnr == loss.psnr
