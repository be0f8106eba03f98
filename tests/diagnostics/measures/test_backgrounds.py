"""What counts as empty in a photo: by colour, by alpha, and along the rim."""

import numpy as np

from diagnostics.measures.backgrounds import empty_pixels, is_cut_out, rim_shares


def picture(*, alpha: float | None = None) -> np.ndarray:
    """20 × 10 pixels, black with a grey block over the lower half of the right side; with one grey level of alpha."""
    rgb = np.zeros((10, 20, 3), np.float32)
    rgb[5:, 12:] = 0.5
    return rgb if alpha is None else np.dstack([rgb, np.full((10, 20), alpha, np.float32)])


def test_each_side_of_the_rim_is_counted_for_itself() -> None:
    """The side with the fewest decides; a floor or a sky on one side must not be averaged away."""
    np.testing.assert_allclose(rim_shares(picture(), "black"), [1, 0.6, 1, 0.5])
    np.testing.assert_allclose(rim_shares(picture(), "white"), 0)


def test_the_rim_allows_for_what_jpeg_does_to_it() -> None:
    """Ringing moves black by a few levels; the count of exact pixels stays exact."""
    noisy = picture() + np.float32(5 / 255)
    np.testing.assert_allclose(rim_shares(noisy, "black"), [1, 0.6, 1, 0.5])
    assert not empty_pixels(noisy, "black").any()


def test_only_transparent_parts_make_a_photo_cut_out() -> None:
    """An alpha of 1, or one that is nowhere near 0, hides nothing."""
    assert [is_cut_out(photo) for photo in (picture(), picture(alpha=1.0), picture(alpha=0.9))] == [False] * 3
    assert is_cut_out(picture(alpha=0.0))


def test_in_a_cut_out_photo_black_matter_is_not_empty() -> None:
    """A black shoe on a transparent ground: alpha tells them apart, where colour cannot."""
    shoe = picture(alpha=0.0)
    shoe[:3, :, 3] = 1
    assert empty_pixels(shoe, "black").sum() == 7 * 20 - 5 * 8
    assert not empty_pixels(shoe, "black")[:3].any()
