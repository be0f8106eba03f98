"""Wrong use of the command line: one sentence, and exit code 2."""

import argparse
import sys
from typing import NoReturn

WRONG_USE = 2


class WrongUse(OSError):
    """Something that was asked for on the command line cannot be done; the message says what."""


class Parser(argparse.ArgumentParser):
    """Wrong use is one sentence and exit code 2."""

    def error(self, message: str) -> NoReturn:
        print(f"splatdoctor: {message}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(WRONG_USE)
