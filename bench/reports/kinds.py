"""The list of variants: `@variant(kind, name)` adds a function of a Bench, which returns if the program is right about it."""

import dataclasses
import typing


@dataclasses.dataclass
class Variant:
    kind: str
    name: str
    judge: typing.Callable
    clean: bool = False


VARIANTS = []


def variant(kind, name, clean=False):
    def add(judge):
        VARIANTS.append(Variant(kind, name, judge, clean))
        return judge
    return add


def variants(kind, clean=False, **named):
    """One variant an argument: its value goes to the function."""
    def add(judge):
        for name, value in named.items():
            VARIANTS.append(Variant(kind, name.replace("_", " "), lambda bench, value=value: judge(bench, value), clean))
        return judge
    return add
