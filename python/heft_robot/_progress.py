"""How far a long call has come: a bar of tqdm on a terminal or in a notebook, a function of yours, or nothing."""
from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager

Progress = Callable[[str, float], object]


@contextmanager
def listener(progress: Progress | bool | None):
    """What the library calls with (stage, fraction): `progress` itself, where it returns False the call ends with Stopped; a bar
    for True; for None a bar if tqdm is there and somebody watches; for False nothing."""
    if callable(progress):
        yield progress
        return
    watched = progress is True or (progress is None and (sys.stderr.isatty() or "ipykernel" in sys.modules))
    bar = _bar() if watched else None
    if bar is None:
        yield None
        return
    try:
        yield lambda stage, fraction: _show(bar, stage, fraction)
    finally:
        bar.close()


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=100, leave=False, delay=1, bar_format="{desc}: {bar} {n:.0f} %")


def _show(bar, stage: str, fraction: float):
    bar.set_description_str(stage, refresh=False)
    bar.n = 100 * min(max(fraction, 0), 1)
    bar.refresh()
