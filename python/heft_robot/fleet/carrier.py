"""Downloads pieces of a fleet from a store behind a network to the program's folder and uploads new ones.

Leaves, sums and answers are named by the content that they were made from: they are uploaded only if missing, and replaced only if the
program found them damaged. Failures and results/ are views of these and overwrite earlier ones; the file that makes a result complete is
uploaded last.
"""
from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .._errors import HeftError
from .objects import REQUESTS, ObjectStore
from .options import NAME as OPTIONS

MARKER = "heft-fleet-store"
PIECES = ("digests", "owners", "leaves", "nodes", "priors", "answers", "failures", "results")
LARGE = ("leaves", "nodes", "priors", "results")  # names and sizes are enough for tasks that do not read them
KEY_FILE = "answer.key"  # says of a folder of results which answer it is of, and the sizes of its files
ASIDE = "results-"  # and options: results under others, put aside


def check_is_store(store: ObjectStore) -> None:
    """Error: the URL has other content and is not a store."""
    if store.get(MARKER) is None and any(name != OPTIONS for name, _ in store.list("")) and store.get(MARKER) is None:
        raise HeftError(store.url, "is not empty and is not a store of heft fleet", "give a URL with no objects below it")


class Carrier:
    """`folder` is a local copy of part of `store`: fetch(), run the program, bring_back()."""

    def __init__(self, store: ObjectStore, folder: Path):
        self.store, self.folder = store, folder
        self._fetched: dict[str, tuple] = {}
        self._imitated: set[str] = set()  # of these: by name and size alone
        self._requests = ThreadPoolExecutor(REQUESTS)
        folder.mkdir(parents=True, exist_ok=True)
        check_is_store(store)
        self.fetch_options()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._requests.shutdown()

    def fetch_options(self) -> None:
        """Fetches the marker and the options; without its marker the program refuses a folder with other content."""
        self.fetch([MARKER])
        if MARKER in self._fetched:
            self.fetch([OPTIONS])

    def fetch(self, names: Iterable[str]) -> set[str]:
        """Fetches the existing objects of these names; a name that ends with a slash is a folder. Returns the new ones."""
        names = [name for name in names if name not in self._fetched or name in self._imitated]
        for folder in [name for name in names if name.endswith("/")]:
            self._imitate(folder)
        plain = [name for name in names if not name.endswith("/")]
        return {name for name, came in zip(plain, self._requests.map(self._fetch, plain)) if came}

    def imitate_all(self) -> None:
        """Fetches names and sizes of all objects and the content of small ones, which a report or a status reads."""
        for folder in [*PIECES, *(name.rstrip("/") for name in self.store.folders() if name.startswith(ASIDE))]:
            if folder in LARGE or folder.startswith(ASIDE):
                self._imitate(folder + "/")
            else:
                self.fetch([name for name, _ in self.store.list(folder + "/")])

    def imitate_pieces(self) -> None:
        """Imitates all leaves, sums and priors by name and fetches failures: they determine the names of answers with a population
        prior."""
        for folder in ("leaves/", "nodes/", "priors/"):
            self._imitate(folder)
        self.fetch([name for name, _ in self.store.list("failures/")])

    def bring_back(self) -> tuple[int, int]:
        """Uploads new files, replaces those that were made again, and removes those that the program set aside. Returns the number of
        uploaded pieces and the number of fetched pieces that were damaged."""
        here = self._names_here()
        changed = [name for name in here if self._state(name) != self._fetched.get(name)]
        # a piece without bytes here cannot be called damaged
        gone = [name for name in self._fetched if name not in here and (name not in self._imitated or _is_view(name))]
        list(self._requests.map(self.store.remove, gone))
        parts = {"marker": [], "first": [], "key": [], "last": []}
        for name in changed:
            part = "marker" if name == MARKER else "last" if name.startswith("answers/") else "key" if name.endswith("/" + KEY_FILE) else "first"
            parts[part].append(name)
        # until all files of a new result are there, its folder has none
        list(self._requests.map(self.store.remove, [name for name in parts["key"] if name in self._fetched]))
        for names in parts.values():
            list(self._requests.map(self._put, names))
        damaged = [name for name in gone + changed if name in self._fetched and not _is_view(name)]
        for name in gone:
            del self._fetched[name]
        return len(changed), len(damaged)

    def remove_what_is_gone(self) -> None:
        """Removes from the store the unneeded pieces that the program removed from this folder."""
        here = self._names_here()
        list(self._requests.map(self.store.remove, [name for name in self._fetched if name not in here]))

    def _fetch(self, name: str) -> bool:
        content = self.store.get(name)
        if content is None:
            return False
        self._write(name, content)
        self._imitated.discard(name)
        return True

    def _imitate(self, folder: str) -> None:
        """Creates files of these names and sizes without content, except files that describe a result. Files that those name get the
        recorded time stamps; otherwise the program would read them to see whether they changed."""
        listed = [(name, size) for name, size in self.store.list(folder) if name not in self._fetched]
        keys = [name for name, _ in listed if name.endswith("/" + KEY_FILE)]
        self.fetch(keys)
        stamps = {}
        for key in keys:
            if key in self._fetched:
                stamps.update(_stamps_in((self.folder / key).read_text(errors="replace"), key.removesuffix(KEY_FILE)))
        for name, size in listed:
            if name not in self._fetched:
                self._imitated.add(name)
                self._write(name, b"", size, stamps.get(name))

    def _write(self, name: str, content: bytes, size: int | None = None, stamp: int | None = None) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if size is not None:
            os.truncate(path, size)
        if stamp is not None:
            os.utime(path, ns=(stamp, stamp))
        self._fetched[name] = self._state(name)

    def _put(self, name: str) -> None:
        content = (self.folder / name).read_bytes()
        if _is_view(name) or name in self._fetched:
            self.store.put(name, content)
        else:
            self.store.put_if_absent(name, content)
        self._fetched[name] = self._state(name)

    def _state(self, name: str) -> tuple:
        facts = os.stat(self.folder / name)
        return facts.st_ino, facts.st_mtime_ns, facts.st_size

    def _names_here(self) -> set[str]:
        found = {name for name in (MARKER, OPTIONS) if (self.folder / name).exists()}
        for folder in [*(self.folder / kind for kind in PIECES), *self.folder.glob(ASIDE + "*")]:
            for path in folder.rglob("*"):
                if path.is_file():
                    found.add(path.relative_to(self.folder).as_posix())
        return found


def _stamps_in(key: str, folder: str) -> dict[str, int]:
    """Time stamps [ns] by name of the files that a result's key lists, one per line: SIZE SECONDS.NANOSECONDS SHA256 NAME."""
    stamps = {}
    for line in key.splitlines()[1:]:
        words = line.split(maxsplit=3)
        if len(words) == 4 and words[1].replace(".", "", 1).isdecimal():
            stamps[folder + words[3]] = int(words[1].replace(".", ""))
    return stamps


def _is_view(name: str) -> bool:
    return name.startswith(("results/", "failures/"))
