"""Photos come from cameras, phones and broken copies: each gives pixels or one sentence."""

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from runs.errors import UnreadableFile
from runs.photos import Photo
from tests.support.hostile import only_our_error

KINDS = {"PNG": "RGBA", "JPEG": "RGB", "TIFF": "RGB", "BMP": "RGB", "WEBP": "RGB"}


def encoded(kind: str) -> bytes:
    pixels = np.random.default_rng(0).integers(0, 255, (6, 8, len(KINDS[kind])), np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels, KINDS[kind]).save(buffer, kind)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_header_and_pixels(kind: str, tmp_path: Path) -> None:
    """Size and alpha come without decoding; pixels are 0..1 and may be asked for at the trained size."""
    path = tmp_path / "a photo é.img"
    path.write_bytes(encoded(kind))
    photo = Photo("a", path)
    assert (photo.size_px, photo.has_alpha) == ((8, 6), kind == "PNG")
    assert photo.pixels().shape == (6, 8, len(KINDS[kind]))
    assert photo.pixels((4, 3)).shape == (3, 4, len(KINDS[kind]))
    assert 0 <= photo.pixels().min() < photo.pixels().max() <= 1


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow's own remarks about the damage
@settings(max_examples=200, deadline=None)
@given(kind=st.sampled_from(sorted(KINDS)), noise=st.binary(max_size=30), where=st.floats(0, 1), cut=st.floats(0, 1))
def test_damage_ends_in_a_sentence(
    kind: str, noise: bytes, where: float, cut: float, tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Pillow raises many kinds of error; the window must meet only ours."""
    path = tmp_path_factory.mktemp("photo") / "x.img"
    whole = encoded(kind)
    at = int(where * len(whole))
    path.write_bytes((whole[:at] + noise + whole[at + len(noise):])[: int((0.5 + cut / 2) * len(whole)) + 1])
    photo = Photo("x", path)
    for read in (lambda: photo.size_px, photo.pixels):
        with only_our_error(path):
            read()


def test_a_photo_that_is_gone_or_no_photo_says_so(tmp_path: Path) -> None:
    """The two need different acts."""
    with pytest.raises(UnreadableFile, match=r"this photo cannot be opened .* moved or deleted"):
        Photo("a", tmp_path / "gone.jpg").pixels()
    (tmp_path / "text.jpg").write_text("no photo")
    with pytest.raises(UnreadableFile, match="this photo cannot be decoded; copy it again"):
        _ = Photo("b", tmp_path / "text.jpg").size_px
