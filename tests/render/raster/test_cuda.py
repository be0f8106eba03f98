"""The CUDA renderer is the same call: on a machine with a device it must agree, elsewhere it must say what is missing."""

import numpy as np
import pytest

from render.raster import cuda, differentiable
from tests.support.splats import outside
from tests.support.trainable import BACKGROUND, incoming, random_parameters, relative_errors

torch = pytest.importorskip("torch", reason="torch is a peer for proofs, not needed by the product")
HAS_CUDA = torch.cuda.is_available()


@pytest.mark.skipif(HAS_CUDA, reason="this machine has a CUDA device")
def test_without_a_device_the_error_says_so() -> None:
    """A user who asks for CUDA must read why there is none."""
    with pytest.raises(cuda.CudaMissing, match="needs a CUDA device"):
        cuda.render(random_parameters(3, dtype=np.float32), outside())


@pytest.mark.skipif(not HAS_CUDA, reason="no CUDA device on this machine")
def test_picture_and_gradients_are_those_of_the_cpu() -> None:
    """Opacities stay below both caps of alpha."""
    pytest.importorskip("gsplat", reason="gsplat is a peer for proofs, not needed by the product")
    parameters, camera = random_parameters(200, opaque=1.0, dtype=np.float32), outside()
    parameters.logit_opacities[:] = np.minimum(parameters.logit_opacities, 3.0)
    ours, theirs = (engine.render(parameters, camera, background=BACKGROUND) for engine in (differentiable, cuda))
    np.testing.assert_allclose(theirs.rgb, ours.rgb, atol=5e-3)
    gradient = incoming(camera)
    errors = relative_errors(theirs.backward(*gradient), ours.backward(*gradient), floor=0.05)
    assert max(errors.values()) < 0.02, errors
