"""Arguments that are one of a few words."""
from __future__ import annotations

from ._errors import HeftError

BACKENDS = ("auto", "cpu", "cuda")


def check_word(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuses a value that is not in `known`."""
    if value not in known:
        raise HeftError(name, f"is {value!r}", f"give {', '.join(known[:-1])} or {known[-1]}")
