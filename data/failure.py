"""The two ways in which a command ends badly: one sentence each, and an exit code of its own."""

import difflib


class Failure(Exception):
    """What could not be done, where, and what to do about it. Exit code 1."""

    exit_code = 1


class BadCall(Failure):
    """A command line that cannot be meant. Exit code 2."""

    exit_code = 2


def first_sentence(error):
    """The first line of a foreign exception that says something, without a final full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".")


def nearest(name, valid):
    """A hint for a misspelt name: ` (nearest: cifar10)`, or nothing when none resembles it."""
    found = difflib.get_close_matches(name, list(valid), n=1, cutoff=0.5)
    return f" (nearest: {found[0]})" if found else ""
