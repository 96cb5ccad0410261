"""Records the options that results/ in an object store belongs to, as the program does in a folder; results of other options are set aside.

The object `options` names them. A run with other options moves results/ and fleet.* to results-OPTIONS/ and restores its own from there.
Objects have no locks: tasks detect a concurrent run with other options because they read the name before they solve.
"""
from __future__ import annotations

from .._errors import HeftError
from .objects import ObjectStore

NAME = "options"
RESULTS = "results/"
VIEWS = ("fleet.json", "fleet.csv", "fleet.html")
SHOWN = 16  # digits of the options in a folder's name


def options_of(store: ObjectStore) -> str | None:
    """Returns the options of results/; None if it has no options yet."""
    content = store.get(NAME)
    return None if content is None else content.decode(errors="replace").strip()


def take_results(store: ObjectStore, options: str) -> None:
    """Assigns results/ to these options. May be stopped at any moment; the next call continues."""
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
    """Called before a task solves: the first task assigns results/ to its options."""
    store.put_if_absent(NAME, (options + "\n").encode())
    if options_of(store) != options:
        raise HeftError(store.url, "has results under other options, or a run with these options is in progress: results/ would mix both",
                        "wait until it ends; python -m heft_robot fleet run moves them aside; or give this run its own store")


def _aside(options: str) -> str:
    return f"results-{options[:SHOWN]}/"
