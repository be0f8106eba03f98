"""What GPU memory does to the records: a leak in the readings, and the text of an error at the end of the log."""

import json
from pathlib import Path

MIB_AT_START = 900.0
MIB_PER_GAUSSIAN = 1.45e-3  # 1,520 bytes: the measured line of INRIA's trainer at SH degree 3
LOG = "train.log"
BAR = "Training progress: 100%|##########| {last}/{last} [00:08<00:00, 95.00it/s, Loss=0.0312345]\n"
DEATH = (
    'Traceback (most recent call last):\n  File "train.py", line 216, in <module>\n    training(lp.extract(args))\n'
    '  File "gaussian_renderer/__init__.py", line 92, in render\n    rendered_image, radii = rasterizer(means3D = means3D)\n'
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {request} (GPU 0; {capacity} total capacity; {allocated} "
    "already allocated; {free} free; {reserved} reserved in total by PyTorch)\n"
)


def memory_logged(run: Path, _seed: int, *, leaked: float) -> None:
    """Each row of the record gets the memory in use: the line of the count, and `leaked` MiB more for each iteration."""
    path = run / "metrics.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        if "n" in row:
            row["vram"] = MIB_AT_START + MIB_PER_GAUSSIAN * row["n"] + leaked * row["it"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def died_of_memory(run: Path, _seed: int, *, request: str, capacity: str, allocated: str, free: str, reserved: str) -> None:
    """A log whose last words are PyTorch's."""
    last = max(json.loads(line).get("it", 0) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines())
    words = DEATH.format(request=request, capacity=capacity, allocated=allocated, free=free, reserved=reserved)
    (run / LOG).write_text(BAR.format(last=last) + words, "utf-8")
