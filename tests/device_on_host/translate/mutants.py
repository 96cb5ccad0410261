"""What can be removed from a kernel at run time: barriers, guards and bounds. Instructions of one kernel that come from the
same place of the CUDA source are one mutant, however often the compiler repeats them.

    barrier  it is not there; so with waits for copies
    bound    the condition of a loop is always true; of a minimum or maximum the first side is taken whatever the other is
    guard    the branch of an `if` or `?:` is never taken, an instruction under a condition always done

Branches that the compiler made of lines that decide nothing, those of a sine say, are none of ours."""
import dataclasses
import functools
import re

from operands import is_float

CALLS_OF_BARRIERS = 1  # a barrier stands at the end of together(), which is where it is called
LOOP = re.compile(r'\b(for|while)\s*\(')
LIMIT = re.compile(r'\b(min|max|clamp)\b')
CONDITION = re.compile(r'\bif\b|\?|&&|\|\|')


@functools.lru_cache(maxsize=None)
def lines_of(file):
    with open(file, encoding='utf-8') as source:
        return source.read().splitlines()


def is_barrier(name, modifiers):
    return name in ('bar', 'barrier') or name == 'cp' and modifiers[-1] in ('wait_group', 'wait_all')


def at_depth(source, calls):
    """`source` and so many of the calls around it, the innermost first."""
    chain = [dataclasses.replace(source, caller=None)]
    while calls > 0 and source.caller:
        source, calls = source.caller, calls - 1
        chain.append(dataclasses.replace(source, caller=None))
    return tuple(chain)


class Mutants:
    """Numbers what can be removed. `root` is the folder of the sources, `guarded` that of those whose guards are removed;
    without a root there are no mutants."""

    def __init__(self, root, guarded):
        self.root, self.guarded = root, guarded
        self.found = {}  # (kernel, kind, place): number

    def number(self, kernel, instruction):
        """(kind, number), or (None, None) if `instruction` cannot be removed."""
        kind = self.kind(instruction)
        if not kind:
            return None, None
        place = at_depth(instruction.source, CALLS_OF_BARRIERS if kind == 'barrier' else 0)
        return kind, self.found.setdefault((kernel, kind, place), len(self.found))

    def kind(self, instruction):
        source = instruction.source
        if not self.root or not source or source.line == 0 or not source.file.startswith(self.root):
            return None
        name, *modifiers = instruction.opcode.split('.')
        if is_barrier(name, modifiers):
            return 'barrier'
        line = lines_of(source.file)[source.line - 1]
        if name in ('min', 'max') and not is_float(modifiers[-1]):
            return 'bound' if LIMIT.search(line) else None
        if not instruction.guard:
            return None
        if LOOP.search(line):
            return 'bound'
        return 'guard' if CONDITION.search(line) and source.file.startswith(self.guarded) else None
