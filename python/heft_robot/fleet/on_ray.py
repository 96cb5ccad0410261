"""Shards as core tasks of Ray: on the cluster of RAY_ADDRESS, or one of this machine alone."""
from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from .._errors import HeftError, optional
from .each import PATIENCE_S, WINDOW, Each

RETRIES = 20  # of a task whose worker died; what it had finished is in the store


@contextmanager
def ray_engine(workers: int) -> Iterator[Each]:
    ray = optional("ray", "--engine ray", "fleet")
    address = os.environ.get("RAY_ADDRESS")
    size = {} if address else {"num_cpus": workers, "include_dashboard": False}
    _connect(ray, address, size)

    def each(function, tuples):
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(function)
        window = WINDOW * int(ray.cluster_resources().get("CPU", workers))
        tuples = iter(tuples)
        under_way = [task.remote(*one) for one in islice(tuples, window)]
        while under_way:
            done, under_way = ray.wait(under_way)
            under_way += [task.remote(*one) for one in islice(tuples, len(done))]
            try:
                answers = ray.get(done)
            except ray.exceptions.RayTaskError as error:
                raise (error.cause if isinstance(error.cause, Exception) else error) from None
            yield from answers

    try:
        yield each
    finally:
        ray.shutdown()


def _connect(ray, address, size) -> None:
    """A cluster under load may refuse a driver that it accepts a moment later."""
    ends = time.monotonic() + PATIENCE_S
    while True:
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR", **size)
            return
        except (ConnectionError, RuntimeError) as error:
            ray.shutdown()  # of what was begun: another init would find it
            if time.monotonic() > ends:
                where = f"Ray's cluster at {address}" if address else "Ray"
                raise HeftError(where, f"does not answer: {error}", "check that it runs, and whether drivers need its token (RAY_AUTH_MODE, RAY_AUTH_TOKEN)") from None
        time.sleep(1)
