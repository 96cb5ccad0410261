"""Shards as tasks of Dask: on the cluster of DASK_SCHEDULER_ADDRESS, or one of this machine alone."""
from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import islice

from .._errors import HeftError, optional
from .each import PATIENCE_S, WINDOW, Each

RETRIES = 20  # of a task whose worker died; what it had finished is in the store


@contextmanager
def dask_engine(workers: int) -> Iterator[Each]:
    distributed = optional("distributed", "--engine dask", "fleet")
    import dask

    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    size = {} if address else {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with dask.config.set({"distributed.scheduler.allowed-failures": RETRIES}), _client(distributed, address, size) as client:
        def waited(call):
            """Repeats call(seconds) while workers are present: tasks of a cluster without workers wait forever."""
            while True:
                try:
                    return call(PATIENCE_S)
                except distributed.TimeoutError:
                    if not client.nthreads():
                        raise HeftError("Dask's cluster", f"has had no workers for {PATIENCE_S:.0f} s",
                                        "start workers, then repeat the command; finished work is kept") from None
                except (CancelledError, distributed.comm.CommClosedError):
                    raise HeftError("Dask's cluster", "is gone", "repeat the command; finished work is kept") from None

        def each(function, tuples):
            tuples = iter(tuples)
            # pure: by their arguments alone, two calls would be one, and after a fault of the store never be tried again
            submit = lambda one: client.submit(function, *one, pure=False)
            under_way = {submit(one) for one in islice(tuples, WINDOW * max(1, sum(client.nthreads().values())))}
            while under_way:
                done, under_way = waited(lambda seconds: distributed.wait(under_way, seconds, "FIRST_COMPLETED"))
                under_way |= {submit(one) for one in islice(tuples, len(done))}
                yield from (waited(one.result) for one in done)

        yield each


def _client(distributed, address, size):
    try:
        return distributed.Client(address, timeout=PATIENCE_S, **size)
    except OSError:
        raise HeftError("DASK_SCHEDULER_ADDRESS", f"is {address}, where no scheduler answers", "start one, or correct the address") from None
