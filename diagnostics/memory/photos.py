"""Which photos a trainer keeps on the GPU, and in how many bytes per pixel."""

import re

from diagnostics.memory.fits import FORKS, OWN_RASTERISERS
from diagnostics.memory.model import NO_PHOTOS, Photos
from runs.run import Run

KEEP_PHOTOS = FORKS | OWN_RASTERISERS | {"inria"}  # each photo becomes a tensor on data_device
FLOATS, MASKED, BYTES = 12, 16, 3
WIDEST = 1600  # pixels: INRIA's trainer makes wider photos that wide unless told not to (its arguments, `resolution` -1)
# splatfacto moves its photos to the computer's memory above so many (nerfstudio, full_images_datamanager.py).
MOST_CACHED = 500
SMALLER = re.compile(r"_(\d{1,2})$")  # images_4


def photos_of(run: Run) -> Photos:
    """By the cameras and the settings; NO_PHOTOS where either does not tell."""
    sizes = [_loaded(run, camera.size_px) for camera in run.cameras]
    if not sizes:
        return NO_PHOTOS
    per_pixel, why = bytes_per_pixel(run, len(sizes))
    return NO_PHOTOS if per_pixel is None else Photos(len(sizes), sum(w * h for w, h in sizes), per_pixel, why)


def photos_given(trainer: str, count: int, pixels: int) -> Photos:
    """`count` photos of `pixels` each, as this trainer keeps them by default: INRIA's today with a mask beside each."""
    if trainer in KEEP_PHOTOS:
        return Photos(count, count * pixels, MASKED, "by default; 12 in versions without masks, 0 with data_device cpu")
    if trainer == "splatfacto":
        on_gpu = BYTES if count <= MOST_CACHED else 0
        return Photos(count, count * pixels, on_gpu, f"by default: bytes, and more than {MOST_CACHED} photos stay off")
    return Photos(count, count * pixels, 0, "gsplat's trainer loads one photo at a time")


def bytes_per_pixel(run: Run, count: int) -> tuple[int | None, str]:
    """(bytes on the GPU per pixel of every photo, what tells so); None where it is not known for this trainer."""
    name, settings = run.trainer.name, run.settings
    if name in ("gsplat", "gsplat-2dgs"):
        return 0, "gsplat's trainer loads one photo at a time"
    if name in KEEP_PHOTOS:
        device = settings.value("data_device")
        if device is None:
            return None, "setting data_device is not known"
        masked = "train_test_exp" in settings  # since August 2024 a mask is kept beside each photo (scene/cameras.py)
        kept = (MASKED, "red, green, blue and a mask as floats") if masked else (FLOATS, "red, green and blue as floats")
        return (0, f"data_device = {device}") if str(device) == "cpu" else (kept[0], f"data_device = {device}: {kept[1]}")
    cached = settings.value("pipeline.datamanager.cache_images")
    if cached is None or str(cached) not in ("cpu", "gpu"):
        return None, f"where {name} keeps its photos is not known"
    if str(cached) == "cpu" or count > MOST_CACHED:
        return 0, f"cache_images = {cached}; more than {MOST_CACHED} photos stay off the GPU in any case"
    whole = str(settings.value("pipeline.datamanager.cache_images_type")) == "uint8"
    return (BYTES if whole else FLOATS), f"cache_images = {cached}, {'a byte' if whole else 'a float'} per colour"


def _loaded(run: Run, size: tuple[int, int]) -> tuple[int, int]:
    """Pixels as the trainer loads a photo: INRIA's family writes COLMAP's sizes, and trains on smaller copies of the photos."""
    if run.trainer.name not in KEEP_PHOTOS:
        return size
    smaller = SMALLER.search(str(run.settings.value("images") or ""))
    width, height = (side / (int(smaller[1]) if smaller else 1) for side in size)
    asked = run.settings.value("resolution")
    scale = _scale(asked if isinstance(asked, int) else -1, width)
    return round(width / scale), round(height / scale)


def _scale(asked: int, width: float) -> float:
    """1, 2, 4 and 8 divide; -1 makes wide photos 1,600 pixels wide; any other number is the width that is wanted."""
    if asked in (1, 2, 4, 8):
        return float(asked)
    return max(1.0, width / WIDEST) if asked <= 0 else width / asked
