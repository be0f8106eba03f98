"""What one read of one fuzzed file may cost."""

LONGEST_INPUT_BYTES = 1 << 16
MOST_RSS_MIB = 2048  # Python, numpy and numba take 300 MiB of it
MOST_ADDRESSES_BYTES = 16 << 30  # so that a hostile size ends in MemoryError, not in the machine's swap
SECONDS_PER_INPUT = 10
MOST_TRACED_BYTES = 64 << 20  # in the short runs of the test suite


def limit_memory() -> None:
    """For this process; nothing happens where the system knows no such limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES_BYTES, MOST_ADDRESSES_BYTES))
