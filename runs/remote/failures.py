"""What goes wrong between here and a remote machine, each as one sentence that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runs.errors import RunError, UnreadableFile
from runs.remote.addresses import Address

NOT_LET_IN = "{host} does not let you in; name the user as in sftp://user@host/path and load your key, or set up your credentials"
ANOTHER_KEY = "the key of {host} is not the one that it had; make sure that it is the right machine, then correct known_hosts"
UNKNOWN_KEY = "the key of {host} is not known here; connect once with ssh, and confirm that it is the right machine"
NOTHING_THERE = "{host} has nothing at this path; check its spelling, or look for new saves"
NOT_PERMITTED = "{host} does not let you read this; ask for the right to, or name another user"
NOT_FOUND = "{host} is not found; check its name and your network"
LOST = "the connection to {host} was lost or refused ({why}); try again once it is there"

# By the name of the error's class: the libraries that raise them may be absent.
SAYS = {
    "AuthenticationException": NOT_LET_IN, "PasswordRequiredException": NOT_LET_IN, "NoCredentialsError": NOT_LET_IN,
    "PartialCredentialsError": NOT_LET_IN, "SSOError": NOT_LET_IN, "TokenRetrievalError": NOT_LET_IN,
    "BadHostKeyException": ANOTHER_KEY, "UnknownHostKey": UNKNOWN_KEY,
    "FileNotFoundError": NOTHING_THERE, "NoSuchKey": NOTHING_THERE, "NoSuchBucket": NOTHING_THERE,
    "PermissionError": NOT_PERMITTED,
    "gaierror": NOT_FOUND, "ClientConnectorDNSError": NOT_FOUND, "EndpointConnectionError": NOT_FOUND, "InvalidURL": NOT_FOUND,
}
STATUS = {401: NOT_LET_IN, 403: NOT_PERMITTED, 404: NOTHING_THERE}  # of a web server
DEEPEST_CAUSE = 10


@contextmanager
def told(address: Address, path: Path) -> Iterator[None]:
    """Whatever a file system of fsspec raises becomes an UnreadableFile about `path`; nothing secret enters it."""
    try:
        yield
    except RunError:
        raise
    except Exception as error:  # each of the libraries below fsspec has errors of its own
        says = (_known(error) or LOST).format(host=address.host, why=type(error).__name__)
        raise UnreadableFile(says, path) from None  # the error's own text may quote the password


def is_final(error: Exception) -> bool:
    """Whether asking again over a new connection would give the same answer."""
    return isinstance(error, RunError) or _known(error) is not None


def _known(error: Exception) -> str | None:
    if "No authentication methods available" in str(error):  # paramiko has no class for it
        return NOT_LET_IN
    status = getattr(error, "status", None)
    if status in STATUS:
        return STATUS[status]
    return next((SAYS[kind] for kind in _kinds(error) if kind in SAYS), None)


def _kinds(error: BaseException | None) -> Iterator[str]:
    """Names of the error's classes, then of those of its causes."""
    for _ in range(DEEPEST_CAUSE):
        if error is None:
            return
        yield from (kind.__name__ for kind in type(error).__mro__)
        error = error.__cause__ or error.__context__
