"""A shard of a stage as a function of plain values: the same on this machine and on a worker of a cluster."""
from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import subprocess
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

from .._errors import HeftError, Stopped
from .carrier import Carrier
from .manifest import readable_manifest
from .objects import PATIENCE, ObjectStore, is_url
from .options import check_results

PROGRAM = Path(__file__).resolve().parents[1] / "heft"
STOPPED = 5
_LIBC, _PR_SET_PDEATHSIG = ctypes.CDLL(None), 1


@dataclass(frozen=True)
class Terms:
    """The settings that all tasks share."""

    options: str  # what results/ is of
    uses_population_prior: bool  # some robots ask for a population prior


@dataclass(frozen=True)
class Work:
    """The settings that all shards share: paths and a URL that every machine can open, and flags of the program, whose paths are relative
    to `folder`."""

    manifest: str
    store: str
    folder: str
    flags: tuple[str, ...] = ()
    flags_of_stages: tuple[str, ...] = ()
    flags_of_solve: tuple[str, ...] = ()
    patience: float = PATIENCE  # of a store behind a network [s]
    terms: Terms | None = None  # of terms_of(); None: each task finds out


@dataclass(frozen=True)
class Done:
    """keys: names in the store of the pieces of this shard that exist now; new: number of uploaded pieces; damaged: number of damaged
    pieces, which must be made again."""

    keys: list[str]
    new: int = 0
    damaged: int = 0


#: by stage: the stage that lists its pieces, and the pieces that it makes
PIECES_OF = {"map": ("map", "leaves/"), "reduce": ("reduce", "nodes/"), "population": ("population", "priors/"), "solve": ("solve", "answers/")}


def do_shard(work: Work, stage: str, shard: str) -> Done:
    """Runs map (logs to moments), reduce (moments to sums), population (priors for robots of one model) or solve (sums to results) for a
    shard i/n. Failed robots are recorded in the store and do not raise. Errors: an invalid command line; a store that cannot be read or
    written; Stopped."""
    told_by, made = PIECES_OF[stage]
    flags = ["--shard", shard, "--jobs", "1", "--quiet", *work.flags, *work.flags_of_stages]
    if stage == "solve":
        flags += work.flags_of_solve
    with tempfile.TemporaryDirectory(prefix="heft-fleet-") as scratch:
        manifest = readable_manifest(work.manifest, Path(scratch))
        if not is_url(work.store):
            run_stage(work, stage, manifest, work.store, *flags)
            names = pieces(work, manifest, work.store, told_by, shard)
            return Done([name for name in names if name.startswith(made) and (Path(work.store) / name).exists()])
        folder, objects = Path(scratch) / "store", ObjectStore(work.store, work.patience)
        with Carrier(objects, folder) as carrier:
            terms = work.terms or terms_of(work, manifest, folder)
            if stage == "solve":
                check_results(objects, terms.options)
                carrier.fetch_options()
            hangs_on_all = terms.uses_population_prior and stage in ("population", "solve")
            names = fetch_pieces(carrier, work, manifest, told_by, shard, hangs_on_all)
            run_stage(work, stage, manifest, folder, *flags)
            new, damaged = carrier.bring_back()
            put_events(carrier, stage)
            return Done([name for name in names if name.startswith(made) and (folder / name).exists()], new, damaged)


def terms_of(work: Work, manifest: str, folder) -> Terms:
    """Returns the shared settings; `folder` is the store or its local copy. Errors: those of the store."""
    done = program(work, "pieces", manifest, folder, "--terms", *work.flags)
    if done.returncode != 0:
        raise _error_of("pieces", done)
    words = dict(line.split() for line in done.stdout.splitlines())
    return Terms(words["options"], words["prior"] == "population")


def fetch_pieces(carrier: Carrier, work: Work, manifest: str, told_by: str, shard: str = "0/1", hangs_on_all: bool = False) -> list[str]:
    """Downloads the inputs of a stage; returns the names of its inputs and outputs. `hangs_on_all`: names depend on which pieces all
    robots have, even those that are not downloaded."""
    carrier.fetch(pieces(work, manifest, carrier.folder, "digests", "0/1" if hangs_on_all else shard))
    if hangs_on_all:
        carrier.imitate_pieces()
    while True:
        names = pieces(work, manifest, carrier.folder, told_by, shard)
        # which logs failed decides what the sums and the answer are called
        if not any(name.startswith("failures/") for name in carrier.fetch(names)):
            return names


def pieces(work: Work, manifest: str, folder, stage: str, shard: str) -> list[str]:
    done = program(work, "pieces", manifest, folder, "--stage", stage, "--shard", shard, *work.flags)
    if done.returncode != 0:
        raise _error_of("pieces", done)
    return done.stdout.splitlines()


def run_stage(work: Work, stage: str, manifest: str, folder, *words: str) -> None:
    """Runs one stage. Raises if the whole stage fails; failed robots do not raise."""
    done = program(work, stage, manifest, folder, *words)
    if done.returncode != 0 and not (done.returncode == 1 and re.search(r" robots?: ", done.stdout)):
        raise _error_of(stage, done)


def program(work: Work, command: str, manifest: str, folder, *words: str) -> subprocess.CompletedProcess:
    """Runs `heft fleet COMMAND`."""
    try:
        done = subprocess.run([PROGRAM, "fleet", command, manifest, "--store", os.fspath(folder), *words], cwd=work.folder,
                              capture_output=True, text=True, preexec_fn=_end_with_parent)
    except OSError as error:
        raise HeftError(work.folder, f"cannot be entered, or {PROGRAM} not run: {error.strerror}",
                        "workers need the driver's folder and the same heft_robot") from None
    if done.returncode == STOPPED:
        raise Stopped(f"heft fleet {command}", "was stopped")
    return done


def _end_with_parent() -> None:
    """Ends this child process when its worker dies: another worker then takes the same shard."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def put_events(carrier: Carrier, stage: str) -> None:
    """Uploads the events as one object per shard, because objects cannot be appended to."""
    events = carrier.folder / "events.jsonl"
    if events.exists():
        carrier.store.put_if_absent(f"events/{stage}-{uuid.uuid4().hex}.jsonl", events.read_bytes())


def events_of(store: str) -> list[dict]:
    """All events of a store, a folder or a URL."""
    if is_url(store):
        objects = ObjectStore(store)
        texts = [(objects.get(name) or b"").decode() for name, _ in objects.list("events/")]
    else:
        path = Path(store) / "events.jsonl"
        texts = [path.read_text()] if path.exists() else []
    return [json.loads(line) for text in texts for line in text.splitlines() if line.startswith("{") and line.endswith("}")]


def _error_of(command: str, done: subprocess.CompletedProcess) -> HeftError:
    words = done.stderr.strip().removeprefix("heft: ")
    if done.returncode < 0:
        words = f"was killed by signal {-done.returncode}"
    what, _, remedy = words.partition("\n  remedy: ")
    return HeftError(f"heft fleet {command}", what or f"ended with {done.returncode}", remedy)
