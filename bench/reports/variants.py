"""Variants of every kind of fault that reports showed, written before the faults were fixed and without a look at the fixes.

A variant is an input of its own, the command that a user would run, and what that user may expect: the right answer and green; or a
doubt, finding or refusal that names the cause, with a remedy that, applied as printed, makes the answer right; or, of clean
controls (at least one in five of a kind), no word about it at all.
"""

import importlib

from kinds import VARIANTS

# importing a module lists its variants
for module in ("hdf5", "texts", "suggestions", "logs", "units", "payload", "robots", "joints"):
    importlib.import_module(f"variants_{module}")


def all_variants():
    return list(VARIANTS)
