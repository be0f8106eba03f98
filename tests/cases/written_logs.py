"""Lines of training logs in the words of their trainers, for the cases whose reports are logs."""

from collections.abc import Iterable, Mapping
from pathlib import Path

BAR = "Training progress:  {share:3d}%|{fill}| {at}/{of} [{took}<{left}, {rate:.1f}it/s, Loss={loss:.7f}]"
OOM = (
    "Traceback (most recent call last):\n"
    '  File "train.py", line 219, in <module>\n'
    "    training(lp.extract(args), op.extract(args), pp.extract(args))\n"
    '  File "{file}", line {line}, in {function}\n'
    "    {code}\n"
    "{error}\n"
)


def bar(at: int, of: int, loss: float, rate: float) -> str:
    """One state of the progress bar, ended by a carriage return as tqdm does."""
    minutes, seconds = divmod(int(at / rate), 60)
    return BAR.format(share=100 * at // of, fill="█" * (10 * at // of), at=at, of=of, took=f"{minutes:02d}:{seconds:02d}",
                      left="00:00", rate=rate, loss=loss)


def evaluation(iteration: int, split: str, l1: float, psnr: float) -> str:
    return f"[ITER {iteration}] Evaluating {split}: L1 {l1} PSNR {psnr}"


def log_of(bars: Iterable[str], evaluations: Mapping[int, Iterable[str]], of: int, head: Iterable[str] = ()) -> str:
    """Head lines, then bars, each evaluation after the bar of its iteration."""
    lines = list(head)
    for text in bars:
        lines.append(text)
        at = int(text.split("| ")[1].split("/")[0])
        lines += evaluations.get(at, ())
    return "\n".join([*lines, f"Training complete. {of}", ""])


def write_text(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder
