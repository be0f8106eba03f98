"""The product's version, as installed."""

from importlib.metadata import PackageNotFoundError, version


def product_version() -> str:
    """The installed version, or a word for a source tree that was never installed."""
    try:
        return version("splatdoctor")
    except PackageNotFoundError:
        return "(not installed)"
