"""Addresses of remote runs: sftp://host/path, s3://bucket/key, https://host/path; what is shown of them, and what is not."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit
from urllib.request import url2pathname

from runs.errors import NotARun

SCHEMES = ("sftp", "ssh", "s3", "http", "https")
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # two letters at least: "C://" is a drive
HOW = f"addresses begin with {', '.join(f'{name}://' for name in SCHEMES)} or file://"


@dataclass(frozen=True)
class Address:
    """Where a remote run lies. Printing it, or an error with it, shows neither user, password nor the query of a signed link."""

    scheme: str
    host: str  # with the port, where one is named; the bucket on S3
    path: str  # decoded, without the slash at its end
    secret: str  # the whole text as it was given; never shown, never stored

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    @property
    def shown(self) -> str:
        return f"{self.scheme}://{self.host}{self.path}"

    @property
    def name(self) -> str:
        """Of the run: its folder or file, as in any path."""
        return safe_name(PurePosixPath(self.path).name) or "run"

    @property
    def parts(self) -> SplitResult:
        """With user, password and query, for whoever connects."""
        return urlsplit(self.secret)

    def elsewhere(self, path: str) -> str:
        """The text of another path on the same machine, for the same user."""
        return urlunsplit((self.parts.scheme, self.parts.netloc, quote(path), "", ""))

    @property
    def cache_name(self) -> str:
        """A folder name that no other address has; whatever is secret enters as a hash that cannot be turned back."""
        digest = hashlib.sha256(self.secret.encode()).hexdigest()[:16]
        return f"{self.scheme}-{safe_name(self.host)[:60]}-{digest}"


def is_address(text: str) -> bool:
    """Whether a text names something by its address, and not by a path of this machine."""
    return ADDRESS.match(text) is not None


def place_of(text: str) -> Path | str:
    """What a user typed, as `open_run` takes it: an address as it is, everything else as a path."""
    text = text.strip()
    return text if is_address(text) else Path(text)


def place_name(place: Path | str) -> str:
    """The last part of a path or address, with nothing secret."""
    if isinstance(place, Path):
        return place.name
    return _without_user(place).rstrip("/").rpartition("/")[2]


def parse(text: str) -> Address | Path:
    """The address, or the path of this machine that a file:// address stands for. Raises NotARun for one that nothing opens."""
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:  # of the port, or of brackets around the host
        raise NotARun("this is no complete address; write it as sftp://host/path", Path(_without_user(text))) from error
    scheme = parts.scheme.lower()
    if scheme == "file":
        return Path(url2pathname(unquote(parts.path)) if "%" in parts.path else parts.path)
    if scheme not in SCHEMES or not parts.hostname:
        raise NotARun(f"nothing here opens this kind of address; {HOW}", Path(_without_user(text)))
    host = (parts.netloc.rpartition("@")[2] if scheme == "s3" else f"{parts.hostname}{port}")
    return Address("sftp" if scheme == "ssh" else scheme, host, unquote(parts.path).rstrip("/"), text)


def _without_user(text: str) -> str:
    return re.sub(r"://[^/]*@", "://", text.partition("?")[0])


def safe_name(name: str) -> str:
    """The name with only such letters as every file system takes."""
    cleaned = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", name).strip(" .")
    return "" if cleaned in ("", ".", "..") else cleaned[:200]
