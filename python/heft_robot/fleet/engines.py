"""Engines that work on shards: threads of this process, Ray, or Dask. An engine calls a function with each of some tuples of plain values
and yields the results in the order in which they arrive. Only a window of tasks is in progress at a time, so that memory does not grow
with the number of tasks. A task whose worker dies is given to another. Only the store records what is done.
"""
from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice

from .each import WINDOW, Each

ENGINES = ("local", "ray", "dask")


@contextmanager
def engine(name: str, workers: int) -> Iterator[Each]:
    """Returns each(function, tuples) of an engine of ENGINES. Error: HeftError if its package is missing."""
    if name == "ray":
        from .on_ray import ray_engine as chosen
    elif name == "dask":
        from .on_dask import dask_engine as chosen
    else:
        chosen = thread_engine
    with chosen(workers or os.cpu_count() or 1) as each:
        yield each


@contextmanager
def thread_engine(workers: int) -> Iterator[Each]:
    """Each thread waits for a process of the program."""
    pool = ThreadPoolExecutor(workers)

    def each(function, tuples):
        tuples = iter(tuples)
        under_way = {pool.submit(function, *one) for one in islice(tuples, WINDOW * workers)}
        while under_way:
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            under_way |= {pool.submit(function, *one) for one in islice(tuples, len(done))}
            yield from (one.result() for one in done)

    try:
        yield each
    finally:
        pool.shutdown(cancel_futures=True)
