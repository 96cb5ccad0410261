"""Progress of a long call: a tqdm bar on a terminal or in a notebook, a function of the caller, or nothing."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import contextmanager

from ._errors import MissingPackage, optional

Progress = Callable[[str, float], object]

#: seconds after which a call is a long one, and a bar is drawn
LONG = 1.0


@contextmanager
def listener(progress: Progress | bool | None):
    """The callback for (stage, fraction): `progress` itself, which ends the call with Stopped by returning False; a bar
    for True; for None a bar if tqdm is installed and the output is interactive; nothing for False."""
    if callable(progress):
        yield progress
        return
    if progress is True:
        optional("tqdm.auto", "progress=True")
    elif progress is False or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield None
        return
    bar = _Bar()
    try:
        yield bar.show
        bar.fill()
    finally:
        bar.close()


class _Bar:
    """Appears only in long calls and disappears at their end. Loads tqdm when it is first drawn."""

    def __init__(self):
        self._begin, self._bar, self._is_hopeless = time.monotonic(), None, False

    def show(self, stage: str, fraction: float) -> None:
        if self._bar is None and not self._draw():
            return
        self._bar.set_description_str(stage, refresh=False)
        self._bar.n = 100 * min(max(fraction, 0), 1)
        self._bar.refresh()

    def _draw(self) -> bool:
        if self._is_hopeless or time.monotonic() - self._begin < LONG:
            return False
        try:
            self._bar = optional("tqdm.auto", "progress=True").tqdm(total=100, leave=False, bar_format="{desc}: {bar} {n:.0f} %")
        except MissingPackage:
            self._is_hopeless = True
        return self._bar is not None

    def fill(self) -> None:
        """Completes the bar: a notebook shows a bar that is closed before its end as a failure."""
        if self._bar is not None:
            self._bar.n = self._bar.total

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
