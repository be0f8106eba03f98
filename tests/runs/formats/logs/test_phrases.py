"""Each trainer says in words of its own what it does: a number under the wrong name or iteration would be a false diagnosis."""

from pathlib import Path

import pytest

from runs.formats.logs.phrases import spoken
from runs.formats.logs.textlog import looks_like_log, read_log

# One line as the trainer's source prints it -> event, iterations done, fields, series by name as (iteration, value).
LINES = [
    ("gsplat default: grow", "Step 600: 12 GSs duplicated, 34 GSs split. Now having 1046 GSs.", "densify", 601,
     {"densify/cloned": 12, "densify/split": 34, "num_gaussians": 1046},
     {"densify/cloned": (601, 12), "densify/split": (601, 34)}),
    ("gsplat default: prune", "Step 600: 46 GSs pruned. Now having 1000 GSs.", "densify", 601,
     {"densify/pruned": 46, "num_gaussians": 1000}, {"densify/pruned": (601, 46), "num_gaussians": (602, 1000)}),
    ("gsplat MCMC: relocate", "Step 700: Relocated 99 GSs.", "densify", 701, {"densify/relocated": 99},
     {"densify/relocated": (701, 99)}),
    ("gsplat MCMC: add", "Step 700: Added 50 GSs. Now having 1050 GSs.", "densify", 701,
     {"densify/added": 50, "num_gaussians": 1050}, {"densify/added": (701, 50), "num_gaussians": (702, 1050)}),
    ("gsplat save", "Step:  6999 {'mem': 1.5, 'ellipse_time': 61.2, 'num_GS': 123456}", "checkpoint", 7000,
     {"vram": 1536, "num_gaussians": 123456}, {}),
    ("gsplat scores", "PSNR: 25.123, SSIM: 0.8123, LPIPS: 0.123 Time: 0.012s/image Number of GS: 123456", "evaluation", None,
     {"test/psnr": 25.123, "test/ssim": 0.8123, "test/lpips": 0.123}, {}),
    ("nerfstudio table", "6990 (23.30%)       25.123 ms            9 m, 35 s            ", None, 6991, {"iter_time": 25.123},
     {"iter_time": (6991, 25.123)}),
    ("LichtFeld bar", "Training [█████   ] 50% [01m:18s<00m:42s] 1,000/2,000 | Loss: 0.1979 | Splats: 86,965 (+)", None, 1000,
     {"loss/total": 0.1979, "num_gaussians": 86965}, {"loss/total": (1000, 0.1979), "num_gaussians": (1000, 86965)}),
    ("LichtFeld 2025 scores", "PSNR: 25.1, SSIM: 0.81, LPIPS: 0.21, Time: 0.0120s/image, #GS: 4711", "evaluation", None,
     {"test/psnr": 25.1, "test/ssim": 0.81, "test/lpips": 0.21}, {}),
    ("LichtFeld 2026 scores", "PSNR: 25.1, SSIM: 0.81, Time: 0.0120s/image, #GS: 4711", "evaluation", None,
     {"test/psnr": 25.1, "test/ssim": 0.81}, {}),
    ("Brush refine", "[2026-09-16T04:12:17Z INFO  brush_cli] Refine iter 200, 193271 splats.", "densify", 200,
     {"num_gaussians": 193271}, {"num_gaussians": (200, 193271)}),
    ("Brush scores", "[INFO brush_cli] Eval iter 1000: PSNR 28.75, ssim 0.9125", "evaluation", 1000,
     {"test/psnr": 28.75, "test/ssim": 0.9125}, {"test/psnr": (1000, 28.75), "test/ssim": (1000, 0.9125)}),
    ("OpenSplat", "Step 10: 0.231 (1%)", None, 10, {"loss/total": 0.231}, {"loss/total": (10, 0.231)}),
    ("OpenSplat, older", "Step 10: nan", None, 10, {}, {"loss/total": (10, float("nan"))}),
    ("3DGRUT", "[12:00:00] INFO     Step 7000 -- Running validation..", "evaluation", 7000, {}, {}),
    ("lightning save", "Gaussians saved to outputs/x/point_cloud/iteration_7000/point_cloud.ply", "save", 7000, {}, {}),
    ("lightning checkpoint", "Checkpoint saved to outputs/x/checkpoints/epoch=23-step=7000.ckpt", "checkpoint", 7000, {}, {}),
    ("MonoGS", "MonoGS: [Eval] mean psnr: 36.5, ssim: 0.96, lpips: 0.04", "evaluation", None,
     {"test/psnr": 36.5, "test/ssim": 0.96, "test/lpips": 0.04}, {}),
    ("SplaTAM", "Average PSNR: 32.81", "evaluation", None, {"train/psnr": 32.81}, {}),
    ("Grendel", "iteration[600,604) densify_and_prune. Now num of 3dgs: 183910. Now Memory usage: 0.25 GB. Max Memory usage: "
     "0.5 GB. Max Reserved Memory: 0.6 GB. Now Reserved Memory: 0.6 GB. ", "densify", 600,
     {"num_gaussians": 183910, "vram_now": 256, "vram": 512}, {"num_gaussians": (601, 183910), "vram": (600, 512)}),
]


@pytest.mark.parametrize(
    ("line", "event", "iteration", "fields", "series"), [pytest.param(*case[1:], id=case[0]) for case in LINES],
)
def test_what_each_line_says(line, event, iteration, fields, series):  # type: ignore[no-untyped-def]
    """gsplat and nerfstudio count from 0; a count taken after densifying is what the next iteration starts from."""
    said = spoken(line)
    assert said is not None
    assert (said.event, said.iteration) == (event, iteration)
    assert {name: said.fields[name] for name in fields} == fields
    assert str(sorted((name, at, value) for name, at, value in said.series)) == str(
        sorted((name, at, float(value)) for name, (at, value) in series.items())
    )


@pytest.mark.parametrize("line", [
    "Step 5: configure", "Step 1: 2 of 3 done", "1/5 | Loss: low", "Average PSNR of all scenes", "mean psnr unknown",
    "PSNR: 25.1", "Eval iter 1000 failed", "Optimizing output/Step", "7000 (of 30000)", "image 12/40 | Loss",
])
def test_other_lines_say_nothing(line: str) -> None:
    """Words of a README or of another program are no measurement."""
    assert spoken(line) is None


def logged(folder: Path, text: str, name: str = "train.log") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


GSPLAT = """Model initialized. Number of GS: 54275
loss=0.123| sh degree=0| :   2%|▏         | 612/30000 [00:05<04:03, 120.50it/s]\r
Step 600: 1 GSs duplicated, 2 GSs split. Now having 54278 GSs.
Step 600: 8 GSs pruned. Now having 54270 GSs.
loss=0.098| sh degree=3| :  23%|##        | 6999/30000 [01:00<03:00, 125.00it/s]
Step:  6999 {'mem': 2.0, 'ellipse_time': 61.2, 'num_GS': 54270}
Running evaluation...
PSNR: 25.123, SSIM: 0.8123, LPIPS: 0.123 Time: 0.012s/image Number of GS: 54270
loss=0.097| sh degree=3| :  30%|###       | 9000/30000 [01:20<03:00, 125.00it/s]
PSNR: 26.5, SSIM: 0.85, LPIPS: 0.11 Time: 0.012s/image Number of GS: 54270
"""


def test_the_output_of_gsplat(tmp_path: Path) -> None:
    """Scores are dated by the save before them; without one they are an event, and no point of a curve."""
    log = read_log(logged(tmp_path, GSPLAT))
    assert [(event.kind, event.iteration) for event in log.events] == [
        ("densify", 601), ("densify", 601), ("checkpoint", 7000), ("evaluation", 7000), ("evaluation", 9000),
    ]
    assert {name: (some.iterations.tolist(), some.values.tolist()) for name, some in log.series.items()} == {
        "iter_rate": ([612, 6999, 9000], [120.5, 125, 125]), "loss/total_shown": ([612, 6999, 9000], [0.123, 0.098, 0.097]),
        "densify/cloned": ([601], [1]), "densify/split": ([601], [2]), "densify/pruned": ([601], [8]),
        "num_gaussians": ([602], [54270]),
        "test/psnr": ([7000], [25.123]), "test/ssim": ([7000], [0.8123]), "test/lpips": ([7000], [0.123]),
    }


def test_the_postfix_of_2dgs(tmp_path: Path) -> None:
    """Smoothed losses stay apart from those of the event file; points are counted."""
    postfix = "Loss=0.05123, distort=0.00010, normal=0.01000, Points=12345"
    series = read_log(logged(tmp_path, f"Training progress:   1%| | 590/30000 [00:10<08:20, 58.8it/s, {postfix}]\n")).series
    assert {name: some.at(590) for name, some in series.items()} == {
        "iter_rate": 58.8, "loss/total_ema": 0.05123, "loss/dist_ema": 0.0001, "loss/normal_ema": 0.01, "num_gaussians": 12345,
    }


def test_a_second_stage_begins_its_own_curves(tmp_path: Path) -> None:
    """4DGaussians trains twice from one: the coarse stage's counts must not be read as those of the fine one."""
    bar = "Training progress: 1%| | {}/{} [00:10<08:20, 58.8it/s, Loss={}, psnr=20.1, point={}]\n"
    text = bar.format(1000, 3000, 0.3, 5) + bar.format(3000, 3000, 0.2, 6) + bar.format(10, 14000, 0.9, 7)
    series = read_log(logged(tmp_path, text)).series
    assert series["loss/total_ema"].iterations.tolist() == [10]
    assert series["num_gaussians"].values.tolist() == [7]


GRENDEL = """iteration[1,5) loss: [0.4, 0.3, nan, 0.1] image: ['a.png', 'b.png', 'c.png', 'd.png']
iteration[5,9) loss: [np.float32(0.45), np.float32(0.35), np.float32(0.25), 0.15] image: ['d.png', 'c.png', 'b.png', 'a.png']
iteration[9,13) loss: [0.1, 0.2] image: ['a.png']
iteration[597,601) densify_and_prune. Now num of 3dgs: 500. Now Memory usage: 0.25 GB. Max Memory usage: 0.5 GB.
[ITER 6997] Saving Gaussians
Max Memory usage: 0.7 GB.
"""


@pytest.mark.parametrize(("name", "count"), [
    ("python_ws=1_rk=0.log", "num_gaussians"), ("python_ws=4_rk=2.log", "raw/num_gaussians_of_rank_2"),
])
def test_grendel_writes_the_loss_of_every_view(name: str, count: str, tmp_path: Path) -> None:
    """Each image of a batch is one iteration of its count; of several processes each counts only its own part."""
    log = read_log(logged(tmp_path, GRENDEL, name))
    loss, views = log.series["loss/total"], log.series["train/view"]
    assert loss.iterations.tolist() == views.iterations.tolist() == list(range(1, 9))
    assert str(loss.values.tolist()) == "[0.4, 0.3, nan, 0.1, 0.45, 0.35, 0.25, 0.15]"
    assert [views.labels[int(index)] for index in views.values] == [f"{letter}.png" for letter in "abcddcba"]
    assert log.series[count].at(598) == 500
    assert log.series["vram"].values.tolist() == [512]
    assert [event.kind for event in log.events] == ["densify", "save"]


@pytest.mark.parametrize("text", [
    GSPLAT, GRENDEL, "Step (% Done)       Train Iter (time)    ETA (time)\n", "1000/2000 | Loss: 0.19 | Splats: 865\n",
    "INFO Refine iter 200, 193271 splats.\n", "Image size 400px\nStep 10: 0.231 (1%)\n",
    "MonoGS: [Eval] mean psnr: 1, ssim: 1, lpips: 1\n", "Step 7000 -- Running validation..\n",
])
def test_the_output_of_every_trainer_is_told_from_other_text(text: str, tmp_path: Path) -> None:
    """It lies under any name: nohup.out, log.txt, whatever the user typed behind the arrow."""
    assert looks_like_log(logged(tmp_path, text, "output.txt"))


def test_a_talkative_log_does_not_hide_its_end(tmp_path: Path) -> None:
    """Thousands of densifications before an error must not push it out of what is kept."""
    text = "".join(f"Step {step}: Relocated 9 GSs.\n" for step in range(5000))
    text += "RuntimeError: CUDA out of memory. Tried to allocate 1 GiB\n"
    log = read_log(logged(tmp_path, text))
    assert len(log.events) == 2001
    assert log.events[-1].kind == "out_of_memory"
    assert len(log.series["densify/relocated"]) == 5000
    assert len(log.notes) == 1
