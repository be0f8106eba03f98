"""The summary of a diagnosis in a few sentences, root causes first."""

from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.report.wording import count, iterations, listed
from diagnostics.verdict import SEVERITIES


def story(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Paragraphs: what was looked at, each root cause with what follows from it, what stays unknown."""
    roots = [reported for reported in diagnosis.findings if not reported.consequence_of]
    causes = [_root(reported, diagnosis.findings) for reported in roots[:5]]
    told = (_opening(diagnosis), *causes, _more(roots), _closing(diagnosis))
    return tuple(paragraph for paragraph in told if paragraph)


def tally(diagnosis: Diagnosis) -> str:
    """How many findings of each severity: "1 critical, 2 minor"."""
    amounts = {severity: sum(found.severity == severity for found in diagnosis.findings) for severity in SEVERITIES}
    return ", ".join(f"{amount:,} {severity}" for severity, amount in amounts.items() if amount)


def _opening(diagnosis: Diagnosis) -> str:
    run, judged = diagnosis.run, len(diagnosis.findings) + len(diagnosis.clear)
    saved = count(len(run.iterations), "saved iteration")
    looked = (f"Splat Doctor looked at {iterations(diagnosis.span)} of this run, with {saved}, "
              f"and judged {count(judged, 'pattern')}.")
    if diagnosis.findings:
        return f"{looked} It reports {count(len(diagnosis.findings), 'finding')}: {tally(diagnosis)}."
    return f"{looked} It reports no finding."


def _root(root: Reported, findings: tuple[Reported, ...]) -> str:
    follow = [other for other in findings if root.pattern.code in other.consequence_of]
    sentence = f"{root.pattern.title} ({root.pattern.code}): {_sentence(root.finding.says)}"
    if not follow:
        return sentence
    names = listed(f"{other.pattern.title} ({other.pattern.code})" for other in follow)
    return f"{sentence} Explained by it: {names}."


def _sentence(says: str) -> str:
    return says if says.endswith((".", "!", "?")) else f"{says}."


def _more(roots: list[Reported]) -> str:
    return f"{count(len(roots) - 5, 'more root cause')} in the list below." if len(roots) > 5 else ""


def _closing(diagnosis: Diagnosis) -> str:
    unknown = len(diagnosis.not_evaluable)
    if not unknown:
        return ""
    verb = "was" if unknown == 1 else "were"
    said = f"{count(unknown, 'pattern')} {verb} not evaluable, because the run does not hold what is needed"
    return f"{said}; this says nothing for or against them."
