"""An event file that TensorBoard itself writes, beside what it holds: `python scripts/foreign_tensorboard.py FOLDER`.

Needs the package tensorboard alone. Scalars in the old encoding (simple_value) and the new one (a tensor of one element); a NaN.
"""

import json
import sys
from pathlib import Path

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

TAGS = {"train_loss_patches/total_loss": False, "iter_time": False, "test/loss_viewpoint - psnr": True}  # True: as a tensor
STEPS, NOT_A_NUMBER = range(100, 4000, 100), 1700


def summary(tag: str, value: float, as_tensor: bool) -> Summary.Value:
    if not as_tensor:
        return Summary.Value(tag=tag, simple_value=value)
    plugin = SummaryMetadata.PluginData(plugin_name="scalars")
    tensor = tensor_util.make_tensor_proto(np.float32(value))
    return Summary.Value(tag=tag, tensor=tensor, metadata=SummaryMetadata(plugin_data=plugin, data_class=1))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    writer, rng = EventFileWriter(str(folder)), np.random.default_rng(7)
    truth: dict[str, list[tuple[int, float]]] = {tag: [] for tag in TAGS}
    for step in STEPS:
        for tag, as_tensor in TAGS.items():
            value = float("nan") if step == NOT_A_NUMBER else float(np.float32(10 * rng.normal()))
            writer.add_event(Event(wall_time=1.7e9 + step, step=step, summary=Summary(value=[summary(tag, value, as_tensor)])))
            truth[tag].append((step, value))
    writer.close()
    next(folder.glob("events.out.*")).rename(folder / "events.out.tfevents.1700000000.foreign")
    (folder / "values.json").write_text(json.dumps(truth))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
