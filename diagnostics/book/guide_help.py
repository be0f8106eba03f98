"""The guide inside the program's help: the questions in order as nested lists, and where the rest can be read."""

from collections.abc import Mapping

from diagnostics.book.guide import Answer, Guide, Step
from diagnostics.book.markup import Markup, element, joined, listing, paragraphs

COMMAND = "splatdoctor catalogue --html DIR"


def help_html(guide: Guide) -> Markup:
    """HTML that Qt's text browser draws: headings, paragraphs and lists only."""
    tree = guide["tree"]
    others = (joined([element("b", page.title), f": {page.about.split('. ')[0].rstrip('.')}."]) for page in guide.values()
              if page is not tree)
    return joined([
        element("h2", tree.title), paragraphs(tree.about.split("\n\n")[0]), _question(tree.start, tree.steps or {}, set()),
        element("h2", "The guide"), listing(others),
        element("p", "All of it, with every pattern, as pages for a browser: ", element("code", COMMAND)),
    ])


def _question(key: str, steps: Mapping[str, Step], shown: set[str]) -> Markup:
    shown.add(key)
    answers = listing(_answer(answer, steps, shown) for answer in steps[key].answers)
    return joined([element("p", element("b", steps[key].asks)), answers])


def _answer(answer: Answer, steps: Mapping[str, Step], shown: set[str]) -> Markup:
    settled = ", ".join((*answer.patterns, *(f"the {probe} probe" for probe in answer.probes)))
    told = f"{answer.says}: {settled}" if settled else answer.says
    if not answer.go:
        return joined([told])
    again = f" → {steps[answer.go].asks}" if answer.go in shown else None
    return joined([told, again if again else _question(answer.go, steps, shown)])
