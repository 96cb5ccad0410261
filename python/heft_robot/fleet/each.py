"""The interface of an engine: each(function, tuples) yields the results in the order in which they arrive."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

Each = Callable[[Callable, Iterable[tuple]], Iterator]

WINDOW = 2  # tasks under way for each worker: one at work, one that waits for it
PATIENCE_S = 60.0  # for a cluster that does not answer, or has no workers
