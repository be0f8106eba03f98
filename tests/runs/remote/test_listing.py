"""Listing a remote folder is bounded, looks into no folder of thousands of pictures, and believes no name."""

from datetime import UTC, datetime
from typing import Any

import pytest

from runs.remote import listing
from runs.remote.addresses import Address, parse
from runs.remote.listing import version_of, walk
from runs.remote.systems import remote_path


class Fake:
    """A file system as fsspec's describe themselves: folders by path."""

    def __init__(self, folders: dict[str, list[dict[str, Any]]]) -> None:
        self.folders = folders
        self.asked: list[str] = []

    def ls(self, path: str, *, detail: bool) -> list[dict[str, Any]]:
        assert detail
        self.asked.append(path)
        return self.folders[path.rstrip("/")]


def file(name: str, size: int = 5, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "file", "size": size, **more}


def folder(name: str) -> dict[str, Any]:
    return {"name": name, "type": "directory", "size": 0}


def test_a_bucket_is_walked() -> None:
    """S3 names have no slash before the bucket, and times are dates."""
    when = datetime(2025, 3, 1, tzinfo=UTC)
    system = Fake({"bucket/run": [folder("bucket/run/ckpts"), file("bucket/run/cfg.yml", ETag='"a"', LastModified=when)],
                   "bucket/run/ckpts": [file("bucket/run/ckpts/ckpt_6999_rank0.pt", 10**10, LastModified=when)]})
    address = parse("s3://key:secret@bucket/run/")
    assert isinstance(address, Address)
    found = walk(system, remote_path(address))
    assert [entry.relative for entry in found.entries] == ["ckpts", "cfg.yml", "ckpts/ckpt_6999_rank0.pt"]
    assert not found.cut_off
    assert [entry.version and (entry.version.size_bytes, entry.version.modified_s) for entry in found.entries] == [
        None, (5, when.timestamp()), (10**10, when.timestamp())]


def test_pictures_are_listed_only_when_asked_for() -> None:
    """And copies of code never."""
    system = Fake({"/r": [folder("/r/images"), folder("/r/images_4"), folder("/r/train"), folder("/r/.git"), folder("/r/sparse")],
                   "/r/sparse": [], "/r/images": [file("/r/images/a.jpg")]})
    found = walk(system, "/r")
    assert system.asked == ["/r", "/r/sparse"]
    assert [entry.name for entry in found.entries if entry.deferred] == ["images", "images_4", "train"]
    assert [entry.relative for entry in walk(system, "/r", "images", pictures=True).entries] == ["images/a.jpg"]


def test_more_than_the_bounds_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone names the root of a server."""
    deep = {"/" + "/".join(["d"] * n): [folder("/" + "/".join(["d"] * (n + 1)))] for n in range(1, 30)}
    found = walk(Fake(deep), "/d")
    assert found.cut_off
    assert len(found.entries) == listing.DEEPEST + 1
    monkeypatch.setattr(listing, "MOST_ENTRIES", 10)
    wide = walk(Fake({"/r": [file(f"/r/{i}") for i in range(30)]}), "/r")
    assert wide.cut_off
    assert len(wide.entries) == 10


@pytest.mark.parametrize("name", ["/r/../evil", "/evil", "/r/a/b", "/r/..", "/r/.", "/r/a:b", "/r/nul\0", "/r/x?y", "/r/ "])
def test_names_that_lead_elsewhere_are_passed_over(name: str) -> None:
    """Nothing is ever made outside the mirror."""
    assert walk(Fake({"/r": [file(name), file("/r/good")]}), "/r").entries == walk(Fake({"/r": [file("/r/good")]}), "/r").entries


@pytest.mark.parametrize("info", [{"size": 2**60}, {"size": None}, {"size": "x"}])
def test_impossible_sizes_are_passed_over(info: dict[str, Any]) -> None:
    """A stand-in of a claimed exabyte would fail anyway, or not, and then be mapped."""
    assert walk(Asked({"/r": [{**file("/r/a"), **info}]}), "/r").entries == ()


class Asked(Fake):
    """Says of each file no more than the listing did."""

    def info(self, path: str) -> dict[str, Any]:
        return {"name": path, "type": "file", "size": None}


def test_a_tag_tells_versions_apart_where_there_is_one() -> None:
    """Times of web servers have seconds; two saves of one second differ."""
    date = "Sat, 01 Mar 2025 00:00:00 GMT"
    one, two = (version_of({"size": 1, "ETag": tag, "Last-Modified": date}) for tag in ("a", "b"))
    assert one != two
    assert one.modified_s == two.modified_s == datetime(2025, 3, 1, tzinfo=UTC).timestamp()
    assert version_of({"size": 1, "Last-Modified": "yesterday"}).modified_s is None
    assert version_of({"size": 1, "mtime": 17}).modified_s == 17
