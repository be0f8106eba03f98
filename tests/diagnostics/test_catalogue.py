"""The catalogue refuses what is half-written, and its prose and the detectors meet one to one."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import diagnostics.detectors  # noqa: F401  (registers every detector)
from diagnostics.catalogue import CatalogueError, Pattern, causes_of, load_catalogue, parse_catalogue
from diagnostics.registry import DETECTORS

WHOLE: dict[str, Any] = {
    "code": "ZZ-01", "title": "T", "severity": "minor", "kind": "training", "symptom": "S", "cause": "C",
    "fixes": [{"do": "D", "expect": "E"}], "sources": [{"title": "A paper", "url": "https://example.org"}],
}


def toml(**entries: dict[str, Any]) -> str:
    """Entries as a TOML document; names get hyphens for underscores."""
    return "\n".join(f"[{name.replace('_', '-')}]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in entry.items())
                     for name, entry in entries.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'


def test_a_whole_entry_becomes_a_pattern() -> None:
    """Every key a pattern page shows arrives where it belongs."""
    entry = WHOLE | {
        "limits": {"ratio": "why"}, "look": {"panel": "plots", "colour_by": "opacity"}, "seed_says": "x", "we_say": "y",
        "fixes": [{"do": "D", "expect": "E", "setting": "s", "to": "{v}", "when": {"trainer": "inria"}}], "uncertain": True,
    }
    pattern = parse_catalogue([toml(a_fault=entry)])["a-fault"]
    assert (pattern.name, pattern.code, pattern.panel, pattern.colour_by) == ("a-fault", "ZZ-01", "plots", "opacity")
    assert pattern.limits == {"ratio": "why"}
    assert pattern.uncertain
    assert (pattern.fixes[0].setting, pattern.fixes[0].proposed, pattern.fixes[0].when) == ("s", "{v}", {"trainer": "inria"})


@pytest.mark.parametrize("key", sorted(WHOLE))
def test_a_missing_key_is_refused_by_name(key: str) -> None:
    """Whoever adds a pattern is told which key of which entry is missing."""
    with pytest.raises(CatalogueError, match=f"a-fault: '{key}' is missing"):
        parse_catalogue([toml(a_fault={k: v for k, v in WHOLE.items() if k != key})])


@pytest.mark.parametrize(("change", "sentence"), [
    ({"severity": "awful"}, "a-fault: 'severity' is 'awful', must be one of critical, major, minor, info"),
    ({"kind": "weather"}, "a-fault: 'kind' is 'weather'"),
    ({"symptom": "  "}, "a-fault: 'symptom' must say something"),
    ({"fixes": []}, "a-fault: 'fixes' must hold at least one entry"),
    ({"fixes": [{"do": "D"}]}, r"a-fault.fixes\[0\]: 'expect' is missing"),
    ({"fixes": [{"do": "D", "expect": ""}]}, r"a-fault.fixes\[0\]: 'expect' must say something"),
    ({"fixes": [{"do": "D", "expect": "E", "to": "1"}]}, r"a-fault.fixes\[0\]: 'to' proposes a value"),
    ({"fixes": [{"do": "D", "expect": "E", "when": {"moon": "full"}}]}, r"a-fault.fixes\[0\].when: unknown key 'moon'"),
    ({"sources": []}, "a-fault: 'sources' must hold at least one entry"),
    ({"sources": [{"url": "https://example.org"}]}, r"a-fault.sources\[0\]: 'title' is missing"),
    ({"limits": {"ratio": ""}}, "a-fault.limits: 'ratio' must say something"),
    ({"look": {"angle": "x"}}, "a-fault.look: unknown key 'angle'"),
    ({"serverity": "minor"}, "a-fault: unknown key 'serverity'"),
    ({"leads_to": ["nothing-known"]}, "a-fault: 'leads_to' names 'nothing-known'"),
])
def test_half_written_entries_are_refused(change: dict[str, Any], sentence: str) -> None:
    """A slip of the pen must not reach the user as an empty page."""
    with pytest.raises(CatalogueError, match=sentence):
        parse_catalogue([toml(a_fault=WHOLE | change)])


def test_names_and_codes_are_given_once() -> None:
    """Two patterns with one code could not be told apart in a report."""
    with pytest.raises(CatalogueError, match="a-fault is described twice"):
        parse_catalogue([toml(a_fault=WHOLE), toml(a_fault=WHOLE | {"code": "ZZ-02"})])
    with pytest.raises(CatalogueError, match="b-fault: 'code' ZZ-01 is already used by a-fault"):
        parse_catalogue([toml(a_fault=WHOLE, b_fault=WHOLE)])


def test_consequences_do_not_come_back() -> None:
    """With a cycle every finding would be its own consequence, and there would be no root cause."""
    entries = {name: WHOLE | {"code": name, "leads_to": [led]} for name, led in (("a", "b"), ("b", "c"), ("c", "a"))}
    with pytest.raises(CatalogueError, match="a -> b -> c -> a"):
        parse_catalogue([toml(**entries)])


def test_causes_are_found_through_others() -> None:
    """A cause explains also where the pattern in between was not found."""
    entries = {name: WHOLE | {"code": name, "leads_to": [led]} for name, led in (("a", "b"), ("b", "c"))}
    patterns = parse_catalogue([toml(**entries, c=WHOLE | {"code": "c"})])
    assert causes_of("c", patterns) == {"a", "b"}
    assert causes_of("a", patterns) == frozenset()


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    """A broken file is named as such, whatever is in it."""
    refused = ""
    try:
        parse_catalogue([text])
    except CatalogueError as error:
        refused = str(error)
    assert refused or tomllib.loads(text) == {}


def test_prose_and_detectors_meet_one_to_one() -> None:
    """A detector without prose could not be shown; a pattern without detector must say how to see it by hand."""
    catalogue = load_catalogue()
    assert set(DETECTORS) <= set(catalogue)
    assert all(name in DETECTORS or pattern.manual or pattern.probe for name, pattern in catalogue.items())
    assert not [name for name, pattern in catalogue.items() if name in DETECTORS and pattern.manual]


@pytest.mark.parametrize("name", sorted(DETECTORS))
def test_every_limit_has_its_reason_and_no_other(name: str) -> None:
    """Every number a run is held against can be questioned."""
    assert set(load_catalogue()[name].limits) == set(DETECTORS[name].limits)


@pytest.mark.parametrize("pattern", load_catalogue().values(), ids=lambda p: p.name)
def test_a_fix_is_left_for_every_trainer(pattern: Pattern) -> None:
    """A run of an unknown trainer must get advice too, and without a quoted fact that may be missing."""
    assert any(not fix.when for fix in pattern.fixes)
