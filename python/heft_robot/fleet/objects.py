"""A store of named objects behind s3://, through obstore. Content-addressed objects are uploaded once and never changed."""
from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from .._errors import HeftError, optional

#: seconds for which a request that fails is tried again, unless told otherwise
PATIENCE = 60.0
REQUESTS = 16  # at a time


def is_url(store: str) -> bool:
    return "://" in str(store)


def _check_endpoint(environment) -> None:
    """Refuses plain http at once unless it is allowed; obstore would refuse it only after a minute of retries."""
    variable = next((name for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT") if environment.get(name)), None)
    if variable is None or not environment[variable].lower().startswith("http://"):
        return
    if environment.get("AWS_ALLOW_HTTP", "").lower() not in ("1", "true", "yes", "on", "y"):
        raise HeftError(variable, f"is {environment[variable]}, and plain http is not allowed",
                        "set AWS_ALLOW_HTTP=true, or use an https:// endpoint")


class ObjectStore:
    """Objects below a URL. Credentials come from the environment (AWS_ACCESS_KEY_ID, .., AWS_ENDPOINT_URL for other services), and
    are neither kept nor shown. Temporary faults are retried for `patience` seconds. Errors: HeftError."""

    def __init__(self, url: str, patience: float = PATIENCE):
        parts = urlsplit(url)
        if parts.scheme != "s3" or not parts.netloc:
            raise HeftError("--store", f"is not a supported URL ('{parts.scheme}://')", "give s3://bucket/name, or a folder")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise HeftError("--store", "contains more than a bucket and a name", "give s3://bucket/name; secrets belong in the environment")
        optional("obstore", "a store behind s3://", "fleet")
        _check_endpoint(os.environ)
        import obstore
        from obstore import exceptions, store

        self.url, self.patience = url.rstrip("/"), patience
        self._objects, self._errors = obstore, exceptions
        try:
            # obstore does not repeat a put whose connection was cut; here all of them are, since none does harm twice
            self._store = store.from_url(self.url, retry_config={"max_retries": 0})
        except exceptions.BaseError as error:
            raise HeftError(self.url, f"cannot be opened: {_first_line(error)}", "check the URL and the environment") from None

    def get(self, name: str) -> bytes | None:
        """Returns the content; None if there is no such object."""
        return self._ask("read", name, lambda: bytes(self._objects.get(self._store, name).bytes()))

    def put_if_absent(self, name: str, content: bytes) -> bool:
        """Returns False, and changes nothing, if the object already exists."""
        def put():
            try:
                self._objects.put(self._store, name, content, mode="create", use_multipart=False)
            except self._errors.AlreadyExistsError:
                return False
            return True

        return self._found(name, self._ask("written", name, put))

    def put(self, name: str, content: bytes) -> None:
        """Writes an object, replacing an existing one."""
        self._found(name, self._ask("written", name, lambda: self._objects.put(self._store, name, content, use_multipart=False)))

    def remove(self, name: str) -> None:
        self._ask("removed", name, lambda: self._objects.delete(self._store, name))

    def move(self, names: Iterable[tuple[str, str]]) -> None:
        """Renames objects, replacing existing ones; missing objects are skipped."""
        def one(pair: tuple[str, str]) -> None:
            old, new = pair
            self._ask("copied", old, lambda: self._objects.copy(self._store, old, new))
            self.remove(old)

        with ThreadPoolExecutor(REQUESTS) as requests:
            list(requests.map(one, names))

    def folders(self) -> list[str]:
        """Names of the top-level folders, each with a trailing slash."""
        listed = self._found("", self._ask("listed", "", lambda: self._objects.list_with_delimiter(self._store)))
        return [name.rstrip("/") + "/" for name in listed["common_prefixes"]]

    def list(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Names and sizes below a folder."""
        listed = self._ask("listed", prefix, lambda: [one for some in self._objects.list(self._store, prefix or None) for one in some])
        yield from ((one["path"], one["size"]) for one in self._found(prefix, listed))

    def _found(self, name: str, answer):
        if answer is None:
            raise HeftError(f"{self.url}/{name}", "bucket does not exist", "create the bucket first")
        return answer

    def _ask(self, what: str, name: str, call):
        """Returns the reply; None if nothing is found."""
        final = (self._errors.PermissionDeniedError, self._errors.UnauthenticatedError, self._errors.InvalidPathError)
        ends, pause = time.monotonic() + self.patience, 0.05
        while True:
            try:
                return call()
            except FileNotFoundError:
                return None
            except self._errors.BaseError as error:
                if "NoSuchBucket" in str(error):
                    return None
                fault = error
            if isinstance(fault, final) or time.monotonic() + pause > ends:
                break
            time.sleep(pause * random.uniform(0.5, 1))  # others wait another time
            pause = min(2 * pause, 10.0)
        raise HeftError(f"{self.url}/{name}", f"cannot be {what}: {_first_line(fault)}",
                        "check the bucket, permissions and network, then run again; finished work is kept") from None


def _first_line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0][:300]
