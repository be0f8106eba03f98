"""Reports that are errors: a buffer that no memory could hold, and memory that spilled to the host."""

import json
from pathlib import Path

import numpy as np

from diagnostics.diagnosis import Diagnosis
from tests.cases.curves import INRIA_ARGUMENTS
from tests.cases.public import Input, PublicCase, codes, said
from tests.cases.written_logs import OOM, bar, log_of, write_text
from tests.support.files import inria_columns, ring_of_cameras, write_ply
from tests.support.runs import cloud


def one_buffer_too_large(folder: Path) -> Input:
    """brush#500: 11,234,315 splats × 192 bytes of harmonics are more than 2^31, with 14 of 24 GB in use."""
    at = np.arange(200, 20_001, 200)
    counts = np.round(5_000 + (11_234_315 - 5_000) * ((at - 200) / 19_800) ** 1.5).astype(int)
    lines = [f"Refine iter {i}, {n} splats." for i, n in zip(at, counts, strict=True)]
    lines += ["thread 'main' panicked at crates/brush-train/src/train.rs:310:",
              "called `Result::unwrap()` on an `Err` value: BufferTooBig(2156988480)", ""]
    write_ply(folder / "export_200.ply", inria_columns(cloud(5_000, seed=500, sh_degree=3), normals=False),
              comments=("Exported from Brush", "Vertical axis: y"))
    return Input(write_text(folder, "brush.log", "\n".join(lines)))


def spilled_to_the_host(folder: Path) -> Input:
    """gaussian-splatting#558: 42 MiB requested on a GPU of 24 GiB with 53.19 GiB allocated; 3,000 photos."""
    error = ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 42.00 MiB (GPU 0; 24.00 GiB total capacity; "
             "53.19 GiB already allocated; 0 bytes free; 53.57 GiB reserved in total by PyTorch) If reserved memory is >> "
             "allocated memory try setting max_split_size_mb to avoid fragmentation.")
    text = OOM.format(file="gaussian_renderer/__init__.py", line=85, function="render", code="rendered_image = rasterizer(",
                      error=error)
    bars = [bar(i, 30_000, 0.11, 8.0) for i in range(10, 2_001, 10)]
    write_text(folder, "cfg_args", INRIA_ARGUMENTS.format(eval=False, more=""))
    entries = ring_of_cameras([f"{i:05d}.jpg" for i in range(3_000)], size_px=(1_600, 900))
    write_text(folder, "cameras.json", json.dumps(entries))
    return Input(write_text(folder, "train.log", log_of(bars, {}, 30_000).replace("Training complete. 30000\n", text)))


def _one_buffer(diagnosis: Diagnosis) -> None:
    assert {"2,156,988,480", "11,234,315", "192"} <= set(said(diagnosis, "N-15").split())


def _more_than_there_is(diagnosis: Diagnosis) -> None:
    assert "53.19" in said(diagnosis, "N-32")
    assert "3,000 photos" in said(diagnosis, "MF-04")


CASES = (
    PublicCase(
        "ArthurBrussee/brush#500", one_buffer_too_large,
        why="A single buffer over 2^31 bytes, with memory to spare: lower the harmonics or the cap. It is no lack of "
            "memory.",
        must=codes("N-15"), must_not=codes("MF-01 MF-02 MF-03 MF-06 MF-07"), check=_one_buffer,
    ),
    PublicCase(
        "graphdeco-inria/gaussian-splatting#558", spilled_to_the_host,
        why="More is allocated than the GPU has, so the driver spilled; the photos are the bulk. The request is tiny, so it "
            "is no spike, and reserved is hardly above allocated, so nothing is fragmented.",
        must=codes("MF-04 N-32"), must_not=codes("MF-02 MF-06 MF-01 N-16"), check=_more_than_there_is,
    ),
)
