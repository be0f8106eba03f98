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
        status = _status(error)
        why = type(error).__name__ if status is None else f"status {status}"
        says = (_known(error) or LOST).format(host=address.host, why=why)
        raise UnreadableFile(says, path) from None  # the error's own text may quote the password


def is_final(error: Exception) -> bool:
    """Whether asking again over a new connection would give the same answer."""
    return isinstance(error, RunError) or _known(error) is not None


def _known(error: Exception) -> str | None:
    if "No authentication methods available" in str(error):  # paramiko has no class for it
        return NOT_LET_IN
    status = _status(error)
    if status is not None:  # fsspec calls every refusal a missing file
        return STATUS.get(status)
    kinds = (kind.__name__ for cause in _causes(error) for kind in type(cause).__mro__)
    return next((SAYS[kind] for kind in kinds if kind in SAYS), None)


def _status(error: Exception) -> int | None:
    """What a web server answered."""
    found = (getattr(cause, "status", None) for cause in _causes(error))
    return next((status for status in found if isinstance(status, int) and status >= 400), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what caused it, and so on."""
    for _ in range(DEEPEST_CAUSE):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
