"""Arguments and names that must be one of a few words."""
from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from ._errors import HeftError, UnknownName

BACKENDS = ("auto", "cpu", "cuda")


def check_word(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuses a value that is not in `known`."""
    if value not in known:
        raise HeftError(name, f"unknown choice {value!r}", f"one of: {', '.join(known)}")


def name_hint(name, known: Iterable, limit: int = 60) -> str:
    """Returns the known names nearest to `name`, then all of them up to a limit."""
    shown = [str(each) for each in known]
    by_case = {text.lower(): text for text in shown}
    near = [repr(by_case[text]) for text in get_close_matches(str(name).lower(), by_case, n=3, cutoff=0.5)]
    listed = f"one of: {', '.join(shown[:limit])}{', ..' if len(shown) > limit else ''}" if shown else "none are available"
    return f"did you mean {' or '.join(near)}? {listed}" if near else listed


def no_such_name(where: str, name, known: Iterable, note: str = "") -> UnknownName:
    """The error for a name that is not among `known`."""
    hint = name_hint(name, known)
    return UnknownName(where, f"unknown name {name!r}", f"{hint}; {note}" if note else hint)
