"""Advice that the fact-check of the seed found wrong, inverted or harmful: how to recognise it, and why it may not be given.

`row` numbers the claims that were checked. A rule of words reads "what to do -> what to expect" of a fix; a rule of
values looks at a setting's present and proposed value. `allowed` names patterns for which the same advice is right.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from diagnostics.practice.tables import full_table, tables_by_trainer
from diagnostics.verdict import Fix

UP, DOWN = "up", "down"


@dataclass(frozen=True)
class Words:
    """Advice that is wrong by what it says."""

    row: str
    pattern: str
    why: str
    allowed: frozenset[str] = field(default=frozenset())

    def forbids(self, name: str, text: str) -> bool:
        return name not in self.allowed and re.search(self.pattern, text, re.IGNORECASE) is not None


@dataclass(frozen=True)
class Values:
    """Advice that is wrong by the direction in which it turns a setting (INRIA's name); `only`: for these patterns alone."""

    row: str
    setting: str
    direction: str
    why: str
    only: frozenset[str] = field(default=frozenset())
    allowed: frozenset[str] = field(default=frozenset())

    def forbids(self, name: str, fix: Fix) -> bool:
        concerned = name in self.only if self.only else name not in self.allowed
        return concerned and fix.setting in spellings(self.setting) and direction(fix) == self.direction


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Patterns about memory: there fewer Gaussians, a lower degree and smaller photos are what is wanted.
MEMORY = names(
    "oom-at-first-densification optimiser-state-too-large images-fill-the-gpu densification-memory-spike gpu-memory-nearly-full "
    "memory-leak memory-fragmented host-memory-exhausted memory-spilled-to-host")
TOO_MANY = names("densification-runs-away loss-weight-drives-densification") | MEMORY
RAISE = r"\b(raise|increase|higher|enlarge)\b"
RARER_RESETS = rf"({RAISE}[^.;>]*reset|resets? rarer)"
LOWER = r"\b(lower|reduce|decrease)\b"

WORDS: tuple[Words, ...] = (
    Words("16, 35", rf"{RAISE}[^.;>]{{0,60}}\b(prun\w*|cull\w*|opacity)\b[^.;>]{{0,20}}\bthreshold",
          "pruning removes what lies below: a higher threshold leaves fewer Gaussians and larger holes",
          names("prunes-too-little")),
    Words("45", rf"{RAISE}[^.;>]*grad\w*[^.;>]*threshold.*->.*\b(more gaussians|count rises)",
          "a higher threshold lets fewer grow"),
    Words("45", rf"{LOWER}[^.;>]*grad\w*[^.;>]*threshold.*->.*\b(fewer gaussians|count falls|smaller count)",
          "a lower threshold lets more grow"),
    Words("46", rf"{RAISE}[^.;>]*(reset[^.;>]*interval|opacity_reset_interval).*\b(more often|more frequent)",
          "a longer interval means rarer resets"),
    Words("51", rf"floater.*{RARER_RESETS}|{RARER_RESETS}.*->.*floater\w* (disappear|fall|go|fewer)",
          "resets are what removes floaters near cameras"),
    Words("2, 14", r"\bclip\w*\b[^.;>]{0,40}\b(grad\w*|norm)|\bgrad\w*[^.;>]{0,40}\bclip\w*",
          "Adam is blind to the size of gradients: clipping them hides the cause"),
    Words("14, 54", r"\b(all|every|each)\b[^.;>]{0,20}(learning )?rates?\b[^.;>]{0,30}(/ ?10|by (ten|10)|tenth)|\blr ?/ ?10",
          "no cause is named by a tenth of all rates"),
    Words("72, 73", r"\brandn\b|torch\.rand",
          "random scales: a seventh of the draws is negative, or every Gaussian is a unit large"),
    Words("76", r"(?<!looks like DC = )colou?rs? ?[*·×] ?(C0|0\.28)", "DC is (colour - 0.5) / 0.28209479"),
    Words("77", r"(xyz|means)[^.;>]*requires[_ ]grad", "the signal is the gradient of the projected means"),
    Words("80", r"(scales?|sizes?)[^.;>]{0,30}([*·×]|by) ?0\.8\b(?! ?[×*·])", "halves are 1/1.6 as large, not 0.8"),
    Words("83", r"max\( ?opacit\w* ?, ?0?\.01", "a maximum would lower nothing: the reset is min(opacity, 0.01)"),
    Words("84", r"98(th|\.)?[ -]?percentile", "it would delete 2 % at every event"),
    Words("85", r"retain_graph", "there is one backward pass per iteration"),
    Words("89", r"l1\w*(\.mean\(\))? ?\+ ?[^.;>]{0,12}\bssim\b(?!\))", "the term is 1 - SSIM"),
    Words("97", r"(?<!no )(?<!without )weight[ _]decay|freez\w*[^.;>]{0,20}\b(SH|colours?)\b[^.;>]{0,20}20",
          "it pulls opacities to 0.5 and sizes to one unit"),
    Words("36", r"clamp\w*[^.;>]{0,30}\b(SH|spherical)", "no source; compare seen and unseen directions"),
    Words("37", r"clamp\w*[^.;>]{0,40}(scale|size|activation)[^.;>]{0,40}\b(0\.1|10)\b",
          "an absolute size has no unit: it would destroy detail"),
    Words("52", rf"{LOWER}[^.;>]*\b(resolution|size of the (photos|pictures|images)|image size)\b.*->.*(PSNR|quality|dB)",
          "numbers at another resolution cannot be compared"),
    Words("32", rf"{RAISE}[^.;>]*\b(SH|sh_degree|degree of view-dependent)\b",
          "blur comes from large Gaussians that are not split", names("schedules-overlap-or-hide")),
    Words("33", rf"{RAISE}[^.;>]*(lambda_dssim|ssim_lambda|weight of SSIM|SSIM'?s? weight)",
          "every trainer that was read uses 0.2; more weight multiplies the count"),
    Words("28", r"\bAMP\b|mixed precision|autocast",
          "kernels take single precision only, and the memory is parameters and moments"),
    Words("91", r"channels_last|\bempty_cache\b", "there are no convolutions, and densification already empties the cache"),
    Words("19", r"pre-?allocat|batch size of (ADC|densif)|(ADC|densification)[^.;>]{0,12} (on|to) the CPU",
          "no trainer has such an option"),
    Words("25", r"gradient checkpointing", "rasterisers already recompute blending in the backward pass"),
    Words("27", r"\bFSDP\b|DeepSpeed", "no published offloading of 3DGS works so"),
    Words("26", r"--densify_interval", "the option is --densification_interval"),
    Words("62", r"use_deterministic_algorithms", "kernels of the rasteriser add atomically all the same"),
    Words("70c, 59", r"gap of 3", "train-test gaps of 5 to 8 dB are normal"),
    Words("95, 116", r"PSNR (of|above|below|under) (2[0-9]|16|18)(\.\d)? dB (is|means)", "scenes end between 21 and 32 dB"),
    Words("101", r"higher LPIPS[^.;>]*(sharper|better)|(sharper|better)[^.;>]*higher LPIPS", "lower is better"),
    Words("103", r"NCCL_TIMEOUT", "PyTorch takes the timeout as an argument"),
    Words("104", r"learning rates?[^.;>]*(times|by|with|×) (the )?(number of GPUs|world size)", "it is the root of it"),
    Words("105", r"module\.['\"]? (prefix|from)", "nothing wraps Gaussians in a module"),
    Words("129", r"8-?bit Adam", "no source"),
    Words("53", rf"slow[^.;>]*{RAISE}[^.;>]*densif\w* interval", "a longer interval means slower growth"),
    Words("40", r"dark[^.;>]*white background", "the background matters only where opacity is missing"),
)

VALUES: tuple[Values, ...] = (
    Values("16, 35", "opacity_cull", UP, "pruning removes what lies below", allowed=names("prunes-too-little") | MEMORY),
    Values("51", "opacity_reset_interval", UP, "resets are what removes floaters near cameras", only=names("floaters")),
    Values("45", "densify_grad_threshold", UP, "fewer would grow where too few do", only=names(
        "densification-never-triggers blur holes premature-plateau")),
    Values("45", "densify_grad_threshold", DOWN, "more would grow where too many do", only=TOO_MANY),
    Values("33", "lambda_dssim", UP, "every trainer that was read uses 0.2"),
    Values("32", "sh_degree", UP, "blur comes from large Gaussians that are not split", allowed=names("sh-degree-mismatch")),
    Values("53", "position_lr_init", UP, "no source; check the extent first", allowed=names("learning-rate-too-low")),
    Values("53", "densification_interval", UP, "a longer interval means slower growth", only=names(
        "densification-never-triggers premature-plateau")),
    Values("52", "data_factor", UP, "numbers at another resolution cannot be compared", allowed=MEMORY),
    Values("52", "resolution", UP, "numbers at another resolution cannot be compared", allowed=MEMORY),
)
RARER, OFTENER = re.compile(r"\brarer|less often\b", re.IGNORECASE), re.compile(r"\bmore often\b", re.IGNORECASE)
RATES = names("position_lr_init feature_lr opacity_lr scaling_lr rotation_lr")


def against_words(name: str, text: str) -> Iterator[str]:
    """Why this advice may not be given, one sentence per rule that it breaks."""
    yield from (f"row {rule.row}: {rule.why}" for rule in WORDS if rule.forbids(name, text))


def against_values(name: str, fixes: tuple[Fix, ...]) -> Iterator[str]:
    """The same for the values of the fixes that one finding offers."""
    for fix in fixes:
        yield from (f"row {rule.row}: {fix.flag or fix.setting}: {rule.why}" for rule in VALUES if rule.forbids(name, fix))
        wrong = UP if OFTENER.search(fix.do) else DOWN if RARER.search(fix.do) else ""
        if wrong and fix.setting in spellings("opacity_reset_interval") and direction(fix) == wrong:
            yield f"row 46: {fix.flag or fix.setting}: a longer interval means rarer resets"
    lowered = {rate for rate in RATES for fix in fixes if fix.setting in spellings(rate) and direction(fix) == DOWN}
    if len(lowered) > 2:
        yield f"rows 14, 54: {', '.join(sorted(lowered))} are all lowered, and no cause is named"


def spellings(setting: str) -> frozenset[str]:
    """Every name that some trainer gives the setting."""
    told = {setting}
    for table in {full_table(name)["title"]: full_table(name) for name in tables_by_trainer().values()}.values():
        for part in (table["names"], table["options"], *table.get("strategy_names", {}).values()):
            own = part.get(setting, ())
            told |= {own} if isinstance(own, str) else set(own)
    return frozenset(told | {f"{one} x refine_every" for one in told if one.endswith("reset_alpha_every")})


def direction(fix: Fix) -> str:
    """"up", "down", or "" where one of the two values is not known."""
    if not isinstance(fix.proposed, int | float) or not isinstance(fix.current, int | float):
        return ""
    return UP if fix.proposed > fix.current else DOWN if fix.proposed < fix.current else ""
