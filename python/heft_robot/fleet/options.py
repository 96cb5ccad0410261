"""Which options results/ of a store of objects is of: as the program keeps it in a folder, with what is of others put aside.

The object `options` names them. A run under others moves results/ and fleet.* to results-OPTIONS/ and takes its own back from there.
Objects have no locks: a run under other options at the same time is found out by its tasks, which read the name before they solve.
"""
from __future__ import annotations

from .._errors import HeftError
from .objects import ObjectStore

NAME = "options"
RESULTS = "results/"
VIEWS = ("fleet.json", "fleet.csv", "fleet.html")
SHOWN = 16  # digits of the options in a folder's name


def options_of(store: ObjectStore) -> str | None:
    """None: results/ has no options yet."""
    content = store.get(NAME)
    return None if content is None else content.decode(errors="replace").strip()


def take_results(store: ObjectStore, options: str) -> None:
    """results/ is of these options from now on. May be stopped at any moment, and is gone on with by the next call."""
    before = options_of(store)
    if before not in (None, options):
        aside = _aside(before)
        store.move([(name, aside + name.removeprefix(RESULTS)) for name, _ in store.list(RESULTS)])
        store.move([(name, aside + name) for name in VIEWS])
    if before != options:
        store.put(NAME, (options + "\n").encode())
    aside = _aside(options)
    own = [name for name, _ in store.list(aside)]
    back = {name: name.removeprefix(aside) for name in own}
    store.move([(name, to if to in VIEWS else RESULTS + to) for name, to in back.items()])


def check_results(store: ObjectStore, options: str) -> None:
    """Before a task solves: the first to come says of which options results/ is."""
    store.put_if_absent(NAME, (options + "\n").encode())
    if options_of(store) != options:
        raise HeftError(store.url, "has results under other options, or a run with these options is in progress: results/ would mix both",
                        "wait until it ends; python -m heft_robot fleet run moves them aside; or give this run its own store")


def _aside(options: str) -> str:
    return f"results-{options[:SHOWN]}/"
