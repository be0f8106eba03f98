"""What a training logs: TensorBoard events, lines of JSON, tables, results and the text of the terminal."""

from pathlib import Path

from runs.formats.logs.metrics import read_jsonl
from runs.formats.logs.metrics_csv import read_csv
from runs.formats.logs.results import read_per_view, read_results
from runs.formats.logs.textlog import looks_like_log, read_log
from runs.formats.tensorboard import read_events
from tests.fuzz.target import Target
from tests.support.event_writer import event, record, simple_value, tensor_value, version_event


def _as_record(path: Path) -> None:
    """The bytes as the payload of one event, whose checksums fit whatever they are."""
    payload = path.read_bytes()
    whole = path.with_name("events.out.tfevents.1.host")
    whole.unlink(missing_ok=True)
    whole.write_bytes(record(payload))
    read_events(whole)


def _events() -> tuple[bytes, ...]:
    values = [simple_value("train/l1_loss", 0.5), tensor_value("a", 1.0, content=True), tensor_value("b", 2.0, content=False)]
    return (version_event() + event(7, 1e9, values[:1]) + event(9, 2e9, values),)


def _payloads() -> tuple[bytes, ...]:
    return tuple(event(step, 1e9, [simple_value("a", 0.5), tensor_value("b", 1.0, content=step > 7)])[12:-4] for step in (7, 8))


def _log(path: Path) -> None:
    looks_like_log(path)
    read_log(path)


LOG = (
    b"Training progress:   0%|   | 10/30000 [00:01<10:00, 50.1it/s, Loss=0.1234567, Depth Loss=0.0000000]\r"
    b"Training progress:   1%|   | 20/30000 [00:01<10:00, 50.1it/s, Loss=0.1134567, Depth Loss=0.0000000]\n"
    b"\n[ITER 7000] Evaluating test: L1 0.0254 PSNR 25.432 [01/02 10:11:12]\n[ITER 7000] Saving Gaussians [01/02 10:11:12]\n"
    b"Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n"
    b"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.65 GiB total capacity; 20.00 GiB "
    b"already allocated; 1.00 GiB free; 21.00 GiB reserved in total by PyTorch)\n"
)
JSONL = (
    b'{"it": 1, "l1": 0.5, "psnr": 20.1, "view": "a.jpg", "gn": {"xyz": 1e-5}}\n'
    b'{"iteration": 2, "loss": NaN, "num_gaussians": 100, "eval": {"test": 25.0}}\n{"it": 3'
)
CSV = b"iteration,psnr,ssim,lpips,time_per_image,num_gaussians\n7000,25.1,0.8,0.2,0.01,1000\n30000,27.5,0.9,nan,0.01,2000\n"
RESULTS = b'{"ours_7000": {"SSIM": 0.8, "PSNR": 25.1, "LPIPS": 0.2}, "ours_30000": {"SSIM": NaN, "PSNR": 27, "LPIPS": null}}'
PER_VIEW = b'{"ours_7000": {"SSIM": {"00000.png": 0.8, "00001.png": 0.7}, "PSNR": {"00000.png": 25}, "LPIPS": {}}}'
TARGETS = (
    Target("tensorboard", "events.out.tfevents.1.host", read_events, _events),
    Target("tensorboard-event", "payload", _as_record, _payloads),
    Target("jsonl", "metrics.jsonl", read_jsonl, lambda: (JSONL,)),
    Target("csv", "metrics.csv", read_csv, lambda: (CSV,)),
    Target("results", "results.json", read_results, lambda: (RESULTS,)),
    Target("per-view", "per_view.json", read_per_view, lambda: (PER_VIEW,)),
    Target("textlog", "train.log", _log, lambda: (LOG,)),
)
