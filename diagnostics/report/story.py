"""The summary of a diagnosis: one paragraph per root cause, told from the cause to its last symptom, with measured numbers."""

from collections.abc import Iterator, Sequence

from diagnostics.diagnosis import Began, Diagnosis, ExplainedAway, Reported
from diagnostics.report.chains import Chain, chains
from diagnostics.report.probe_words import asked
from diagnostics.report.undecided import closing
from diagnostics.report.wording import count, in_sentence, iterations, listed, sentence
from diagnostics.verdict import SEVERITIES

MOST_ROOTS = 5  # paragraphs; a summary is read, a list is looked up in


def story(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Paragraphs: what was looked at, which probes were asked, each root cause with what follows, what was explained away, and
    what stays unknown."""
    told = (_opening(diagnosis), asked(diagnosis.probed), *causes(diagnosis), *_explained_away(diagnosis.explained_away),
            *closing(diagnosis))
    return tuple(paragraph for paragraph in told if paragraph)


def causes(diagnosis: Diagnosis) -> tuple[str, ...]:
    """A paragraph for each of the first root causes, and one that names the others; those that only inform come last."""
    every = chains(diagnosis.findings)
    remarks = [chain for chain in every if chain.root.severity == "info"]
    deviations = [chain for chain in every if chain.root.severity == "minor" and chain.root.harmless]
    harmful = [chain for chain in every if chain not in (*remarks, *deviations)]
    told = (*(paragraph(chain) for chain in harmful[:MOST_ROOTS]), _more(len(harmful) - MOST_ROOTS), _deviations(deviations),
            _remarks(remarks))
    return tuple(part for part in told if part)


def stories(diagnosis: Diagnosis) -> tuple[str, ...]:
    """A paragraph for each root cause that explains others; what explains nothing is told by its own finding."""
    return tuple(brief(chain) for chain in chains(diagnosis.findings) if len(chain.members) > 1)


def paragraph(chain: Chain) -> str:
    """The chain in sentences: the root cause, what it leads to, link by link, and what else it explains."""
    root = chain.root
    return " ".join((f"{_titled(root)}: {sentence(root.finding.says)}", *_born(root), *_following(chain), *_branches(chain),
                     root.harmless)).rstrip()


def tally(diagnosis: Diagnosis) -> str:
    """How many findings of each severity: "1 critical, 2 minor"."""
    amounts = {severity: sum(found.severity == severity for found in diagnosis.findings) for severity in SEVERITIES}
    return ", ".join(f"{amount:,} {severity}" for severity, amount in amounts.items() if amount)


def brief(chain: Chain) -> str:
    """The same where the findings stand below with their own sentences: the chain, and the names of what else it explains."""
    also = listed(_named(effect) for effect, _ in chain.branches)
    said = f"{_titled(chain.root)}: {sentence(chain.root.finding.says)}"
    told = (said, *_following(chain), also and f"It also explains {also}.")
    return " ".join(part for part in told if part)


def _opening(diagnosis: Diagnosis) -> str:
    run, judged = diagnosis.run, len(diagnosis.findings) + len(diagnosis.clear) + len(diagnosis.explained_away)
    saved = count(len(run.iterations), "saved iteration")
    looked = (f"Splat Doctor looked at {iterations(diagnosis.span)} of this run, with {saved}, "
              f"and judged {count(judged, 'pattern')}.")
    if not diagnosis.findings:
        return f"{looked} It reports no finding."
    roots = sum(not found.consequence_of for found in diagnosis.findings)
    from_how_many = "" if roots == len(diagnosis.findings) else f", from {count(roots, 'root cause')}"
    return f"{looked} It reports {count(len(diagnosis.findings), 'finding')}{from_how_many}: {tally(diagnosis)}."


def _titled(reported: Reported) -> str:
    unsure = ", uncertain" if reported.pattern.uncertain else ""
    return f"{reported.pattern.title} ({reported.pattern.code}{unsure})"


def _named(reported: Reported) -> str:
    """Inside a sentence; a title may be a sentence itself."""
    return f"{reported.pattern.code}, {in_sentence(reported.pattern.title)}"


def _born(reported: Reported) -> Iterator[str]:
    """The largest group of births alone, where it tells these Gaussians from all others."""
    if isinstance(reported.began, Began) and reported.began.telling:
        yield sentence(reported.began.says.split("; ")[0])


def _following(chain: Chain) -> Iterator[str]:
    """Link by link, each with its own numbers."""
    for index, link in enumerate(chain.links[1:]):
        lead = "From this follows" if index == 0 else "From that in turn"
        yield f"{lead} {_named(link)}: {sentence(link.finding.says)}"


def _branches(chain: Chain) -> Iterator[str]:
    """What is explained beside the chain, grouped by the finding that explains it."""
    for cause in dict.fromkeys(cause for _, cause in chain.branches):
        effects = [effect for effect, by in chain.branches if by is cause]
        named = "; ".join(f"{_named(one)} ({one.finding.says.rstrip('.')})" for one in effects)
        yield f"{cause.pattern.code} also explains {sentence(named)}"


def _more(left: int) -> str:
    return f"{count(left, 'more root cause')} in the list below." if left > 0 else ""


def _deviations(deviations: Sequence[Chain]) -> str:
    """What is otherwise than usual while quality ended at its best."""
    if not deviations:
        return ""
    named = "; ".join(f"{_named(chain.root)} ({chain.root.finding.says.rstrip('.')})" for chain in deviations)
    return f"Otherwise than usual, and not called a fault: {sentence(named)} {deviations[0].root.harmless}"


def _remarks(remarks: Sequence[Chain]) -> str:
    """Those that do no harm."""
    if not remarks:
        return ""
    return "Worth knowing, and no fault of this training: " + sentence(listed(_named(chain.root) for chain in remarks))


def _explained_away(away: Sequence[ExplainedAway]) -> Iterator[str]:
    for one in away:
        yield f"No fault of its own is {_named(one.reported)}. {sentence(one.why)}"
