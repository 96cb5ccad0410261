"""Shards as tasks of Dask: on the cluster of DASK_SCHEDULER_ADDRESS, or one of this machine alone."""
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from .._errors import optional
from .each import WINDOW, Each

RETRIES = 20  # of a task whose worker died; what it had finished is in the store


@contextmanager
def dask_engine(workers: int) -> Iterator[Each]:
    distributed = optional("distributed", "--engine dask", "fleet")
    import dask

    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    size = {} if address else {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with dask.config.set({"distributed.scheduler.allowed-failures": RETRIES}), distributed.Client(address, **size) as client:
        def each(function, tuples):
            window = WINDOW * max(1, sum(client.nthreads().values()))
            tuples = iter(tuples)
            # pure: by their arguments alone, two calls would be one, and after a fault of the store never be tried again
            tasks = distributed.as_completed(client.submit(function, *one, pure=False) for one in islice(tuples, window))
            for done in tasks:
                for one in islice(tuples, 1):
                    tasks.add(client.submit(function, *one, pure=False))
                yield done.result()

        yield each
