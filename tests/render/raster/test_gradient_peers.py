"""Autograd knows no trick of ours: the hand-derived gradients must be those of torch on the formulas, and on gsplat's code."""

import numpy as np
import pytest

from render.raster.differentiable import render
from runs.cameras import Camera
from tests.support.splats import inside, off_centre, outside
from tests.support.trainable import BACKGROUND, gradients, incoming, random_parameters, relative_errors

torch = pytest.importorskip("torch", reason="torch is a peer for proofs, not needed by the product")

CAMERAS = {"outside": outside((26, 19)), "inside": inside((26, 19)), "off-centre": off_centre((26, 19))}


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS.keys())
@pytest.mark.parametrize("degree", [0, 3])
def test_gradients_are_those_of_autograd_on_the_dense_formulas(camera: Camera, degree: int) -> None:
    """Achieved: 5e-12, all seven groups, means2d included, with capped, clamped and hidden Gaussians among them."""
    from tests.support.torch_splats import dense, leaves, torch_gradients

    parameters, gradient = random_parameters(60, degree=degree, opaque=3.0), incoming(camera)
    groups = leaves(parameters)
    outputs = dense(groups, camera, torch.tensor(BACKGROUND, dtype=torch.float64))
    np.testing.assert_allclose(render(parameters, camera, background=BACKGROUND).rgb, outputs[0].detach(), atol=1e-12)
    errors = relative_errors(gradients(parameters, camera, gradient), torch_gradients(groups, outputs, gradient))
    assert max(errors.values()) < 1e-9, errors


def test_gradients_are_those_of_gsplat() -> None:
    """The other trainer that our users run; achieved: 2e-10. Opacities stay below both caps of alpha."""
    pytest.importorskip("gsplat", reason="gsplat is a peer for proofs, not needed by the product")
    from tests.support.torch_splats import gsplat_torch, leaves, pairs_of, torch_gradients

    camera = outside((40, 32))
    parameters, gradient = random_parameters(120, opaque=1.0), incoming(camera)
    parameters.logit_opacities[:] = np.minimum(parameters.logit_opacities, 3.0)
    groups = leaves(parameters)
    outputs = gsplat_torch(groups, camera, torch.tensor(BACKGROUND, dtype=torch.float64), pairs_of(groups, camera))
    np.testing.assert_allclose(render(parameters, camera, background=BACKGROUND).rgb, outputs[0].detach(), atol=1e-10)
    errors = relative_errors(gradients(parameters, camera, gradient), torch_gradients(groups, outputs, gradient))
    assert max(errors.values()) < 1e-8, errors
