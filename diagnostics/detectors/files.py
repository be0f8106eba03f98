"""Saved files whose rows no renderer can use: values that are not finite, and quaternions that name no rotation."""

from diagnostics.facts.nan_causes import NanCauses
from diagnostics.facts.rows import ZeroRows
from diagnostics.measures.nonfinite import ColumnFlaws, Flaws
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, Severity
from diagnostics.wording import percent

# What a user can do about them depends on which values they are, so each kind tells its own cause.
DIVERGED = ("NaN positions cannot come from a file writer: an update of the optimiser was not a number. Look at the "
            "step before the first bad save: learning rates, the loss terms that were just switched on, the photos.")
NAN = ("Some operation divided by zero or took a root of a negative number for these rows alone (a vanishing scale "
       "or a degenerate covariance), and Adam keeps a NaN for ever. They have left the picture, so neither loss nor PSNR "
       "shows it.")
SATURATED = ("Only opacities are +inf and all else is finite: the logit has run out of float32 range. These are fully "
             "opaque Gaussians; training is sound, but viewers and converters may choke on the file.")
LOG_OF_ZERO = "A log scale of -inf is the logarithm of zero: a scale was clamped or written as 0 and then stored as a logarithm."
OVERFLOW = ("A log scale above 88.7 is finite as stored and infinite once activated. CUDA rasterisers may then read "
            "outside their buffers (illegal memory access).")


@detects("non-finite-rows")
def non_finite_rows(
    flaws: tuple[Flaws, ...], nan_causes: NanCauses | None = None, *, rows: int = 1, serious_share: float = 0.01,
) -> Finding | None:
    """Rows with NaN or infinite values: how many, in which columns, since when, growing how fast, and which causes were found."""
    bad = [flaw for flaw in flaws if len(flaw.rows) >= rows]
    if not bad:
        return None
    first, last = bad[0], bad[-1]
    clean = [flaw.iteration for flaw in flaws if flaw.iteration < first.iteration]
    columns = ", ".join(_told(column) for column in last.columns)
    since = f"first at iteration {first.iteration:,}" + (f", still clean at {clean[-1]:,}" if clean else "")
    return Finding(
        f"{len(last.rows):,} of {last.of:,} Gaussians hold values that are not finite ({columns}), {since}",
        evidence=(*_history(flaws, first, last), *_columns(last), *(() if nan_causes is None else nan_causes.evidence)),
        iterations=(first.iteration, last.iteration),
        gaussians=GaussianPlace(last.rows, last.iteration, last.of),
        severity=_severity(last, serious_share), cause=_cause(last.columns),
        facts={"bad_rows": len(last.rows), "first_bad": first.iteration, "last_clean": clean[-1] if clean else None,
               "causes": None if nan_causes is None else nan_causes.told},
    )


@detects("zero-quaternions")
def zero_quaternions(zero_rows: ZeroRows, *, rows: int = 1, serious_share: float = 0.01) -> Finding | None:
    """Rows whose rotation is a zero quaternion; whole rows of zeros point to a truncated export."""
    count, blank = len(zero_rows.rows), len(zero_rows.blank)
    if count < rows:
        return None
    share = count / zero_rows.of
    kind = f"{blank:,} of them are zero in every column" if blank else "their other columns are plausible"
    return Finding(
        f"{count:,} of {zero_rows.of:,} Gaussians ({percent(share)}) have a zero quaternion; {kind}",
        evidence=(
            EvidenceRow("rows with a zero quaternion", count, rows - 1, "rows", zero_rows.iteration),
            EvidenceRow("rows that are zero in every column", blank, 0, "rows", zero_rows.iteration),
        ),
        gaussians=GaussianPlace(zero_rows.rows, zero_rows.iteration, zero_rows.of),
        severity="major" if share > serious_share else "minor",
        cause="The export was cut off or padded: whole rows are zero, which viewers draw as grey balls of size 1 with opacity "
              "0.5." if blank == count else "",
        facts={"zero_rows": count, "blank_rows": blank},
    )


def _told(column: ColumnFlaws) -> str:
    kinds = {"NaN": column.nan, "+inf": column.plus_inf, "-inf": column.minus_inf, "infinite once activated": column.overflowing}
    return f"{column.column}: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count)


def _history(flaws: tuple[Flaws, ...], first: Flaws, last: Flaws) -> tuple[EvidenceRow, ...]:
    """The growth from the first bad save to the last is the verdict: constant is an accident, growing is a process.

    The last clean save before them brackets the step that did it; the last save of all shows whether they are gone again.
    """
    clean = [flaw for flaw in flaws if flaw.iteration < first.iteration]
    told = {flaw.iteration: len(flaw.rows) for flaw in (*clean[-1:], first, last, flaws[-1])}
    return tuple(EvidenceRow("rows with non-finite values", count, 0, "rows", iteration) for iteration, count in told.items())


def _columns(last: Flaws) -> tuple[EvidenceRow, ...]:
    return tuple(
        EvidenceRow(f"{column.column}, rows with {kind}", count, 0, "rows", last.iteration)
        for column in last.columns
        for kind, count in (("NaN", column.nan), ("+inf", column.plus_inf), ("-inf", column.minus_inf),
                            ("values infinite once activated", column.overflowing)) if count
    )


def _severity(last: Flaws, serious_share: float) -> Severity:
    by_name = {column.column: column for column in last.columns}
    if "means" in by_name and len(last.rows) > serious_share * last.of:
        return "critical"
    return "minor" if set(by_name) == {"logit_opacities"} and not by_name["logit_opacities"].nan else "major"


def _cause(columns: tuple[ColumnFlaws, ...]) -> str:
    by_name = {column.column: column for column in columns}
    scales = by_name.get("log_scales")
    if "means" in by_name:
        return DIVERGED
    if any(column.nan for column in columns):
        return NAN
    if set(by_name) == {"logit_opacities"}:
        return SATURATED
    if scales is not None and scales.overflowing + scales.plus_inf:
        return OVERFLOW
    return LOG_OF_ZERO if scales is not None else ""
