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


def add_variant(one):
    if any((other.kind, other.name) == (one.kind, one.name) for other in VARIANTS):
        raise ValueError(f"{one.kind}: {one.name}: twice")
    VARIANTS.append(one)


def variant(kind, name, clean=False):
    def add(judge):
        add_variant(Variant(kind, name, judge, clean))
        return judge

    return add


def variants(kind, clean=False, **named):
    """One variant per argument, whose value is passed to the function."""

    def add(judge):
        for name, value in named.items():
            add_variant(Variant(kind, name.replace("_", " "), lambda bench, value=value: judge(bench, value), clean))
        return judge

    return add
