"""Variants of every kind of fault that reports showed, written before the faults were fixed and without a look at the fixes.

A variant is an input of its own, the command that a user would run, and what that user may expect: the right answer and green; or a
doubt, finding or refusal that names the cause, with a remedy that, applied as printed, makes the answer right; or, of clean
controls (at least one in five of a kind), no word about it at all.
"""

import dataclasses

import variants_files
import variants_logs
import variants_payload
import variants_robots
from kinds import VARIANTS


@dataclasses.dataclass
class Count:
    right: int = 0
    all: int = 0


def all_variants():
    return list(VARIANTS)


MODULES = (variants_files, variants_logs, variants_payload, variants_robots)
