"""What can be removed from a kernel at run time: barriers, guards and bounds. Instructions of one kernel that come from the
same place of the CUDA source are one mutant, however often the compiler repeats them."""
import dataclasses
import functools
import re

from operands import is_float

CALLS_OF_BARRIERS = 2  # a barrier stands in a function that does something on all threads and waits
DECIDES = re.compile(r'\b(if|for|while|min|max|clamp)\b|[?<>]|&&|\|\||[=!]=')


@functools.lru_cache(maxsize=None)
def lines_of(file):
    with open(file, encoding='utf-8') as source:
        return source.read().splitlines()


def is_ours(source, root):
    """A line of the project that decides something: what the compiler takes from elsewhere, a sine's branches say, is no
    mutant of it."""
    if source is None:
        return root is None
    if root is None:
        return True
    if not source.file.startswith(root) or source.line == 0:
        return False
    return DECIDES.search(lines_of(source.file)[source.line - 1]) is not None


def at_depth(source, calls):
    """`source` with so many of the calls around it, the outermost first."""
    chain = [dataclasses.replace(source, caller=None)]
    while calls > 0 and source.caller:
        source, calls = source.caller, calls - 1
        chain.append(dataclasses.replace(source, caller=None))
    return tuple(reversed(chain))


class Mutants:
    """Numbers what can be removed. `root` is the folder of the sources; None takes everything."""

    def __init__(self, root):
        self.root = root
        self.found = {}  # (kernel, kind, place): number

    def number(self, kernel, kind, instruction):
        """None if removing `instruction` is not of interest."""
        if kind != 'barrier' and not is_ours(instruction.source, self.root):
            return None
        place = instruction.line
        if instruction.source:
            place = at_depth(instruction.source, CALLS_OF_BARRIERS if kind == 'barrier' else 0)
        return self.found.setdefault((kernel, kind, place), len(self.found))

    @staticmethod
    def kind(instruction, is_backward):
        """barrier: goes. guard: what it guards is always done. bound: a loop goes on, the first side of a minimum or
        maximum is taken whatever the other is."""
        name, *modifiers = instruction.opcode.split('.')
        if name in ('bar', 'barrier') or name == 'cp' and modifiers[-1] in ('wait_group', 'wait_all'):
            return 'barrier'
        if name in ('min', 'max') and not is_float(modifiers[-1]):
            return 'bound'
        if instruction.guard:
            return 'bound' if is_backward else 'guard'
        return None
