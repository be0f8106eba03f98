"""An address may carry a password or a signed link: neither may reach a message, a cache name or the list of recent runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.errors import NotARun
from runs.remote.addresses import Address, is_address, parse, place_name, place_of, safe_name


def address(text: str) -> Address:
    found = parse(text)
    assert isinstance(found, Address)
    return found


@pytest.mark.parametrize(
    ("text", "shown", "name"),
    [
        ("sftp://ada:s3cret@host:2222/data/run%201/", "sftp://host:2222/data/run 1", "run 1"),
        ("ssh://ada@host/run", "sftp://host/run", "run"),
        ("s3://key:s3cret@bucket/some/run", "s3://bucket/some/run", "run"),
        ("https://host/run/point_cloud.ply?X-Amz-Signature=s3cret", "https://host/run/point_cloud.ply", "point_cloud.ply"),
        ("https://host", "https://host", "run"),
        ("HTTP://Host/Run", "http://host/Run", "Run"),
    ],
)
def test_nothing_secret_is_shown(text: str, shown: str, name: str) -> None:
    """Messages, cache folders and remembered runs are made of these."""
    found = address(text)
    assert (found.shown, found.name) == (shown, name)
    for told in (repr(found), found.cache_name, place_name(text)):
        assert "s3cret" not in told
        assert "ada" not in told


def test_two_addresses_share_no_cache() -> None:
    """Another user may see another file under the same path."""
    texts = ("sftp://host/run", "sftp://ada@host/run", "sftp://host/run2", "sftp://host:23/run", "https://h/a?x=1", "https://h/a?x=2")
    assert len({address(text).cache_name for text in texts}) == len(texts)


@pytest.mark.parametrize(
    "text", ["ftp://host/run", "sftp:///run", "gs://ada:s3cret@bucket/run", "sftp://[::1/run", "sftp://host:99999/run"],
)
def test_other_addresses_are_one_sentence(text: str) -> None:
    """The user learns which ones there are."""
    with pytest.raises(NotARun) as caught:
        parse(text)
    assert "://" in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("text", ["/data/run", "run", r"C:\data\run", "C://data/run", "./sftp:/host", "~/x"])
def test_paths_stay_paths(text: str) -> None:
    """A drive letter is no scheme."""
    assert not is_address(text)
    assert place_of(text) == Path(text)


def test_a_file_address_is_a_path() -> None:
    """Nothing is mirrored that is here already."""
    assert parse("file:///data/run%201") == Path("/data/run 1")
    assert parse("file:///data/run") == Path("/data/run")


@given(st.text(max_size=40))
def test_any_name_is_made_one_that_stays_in_its_folder(name: str) -> None:
    """A hostile server names a file `../../.bashrc`."""
    made = safe_name(name)
    assert made not in (".", "..")
    assert not {"/", "\\", "\0", ":"} & set(made)
