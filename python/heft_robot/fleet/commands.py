"""`python -m heft_robot fleet ..`: adds stores behind s3://, engines and manifests in Parquet to the program."""
from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from .._errors import HeftError, Stopped
from .carrier import Carrier
from .engines import ENGINES, engine
from .manifest import num_rows, readable_manifest
from .objects import PATIENCE, ObjectStore, is_url
from .options import VIEWS, take_results
from .work import STOPPED, Done, Work, do_shard, fetch_pieces, program, terms_of

STAGES = ("map", "reduce", "population", "solve")
FORMER_STAGES = {"sisters": "population"}
COMMANDS = ("run", *STAGES, *FORMER_STAGES, "report", "status", "gc")
LOGS_A_SHARD = 32
SHARDS_A_WORKER = 4  # so that the last one to end does not keep the others waiting
WRONG_COMMAND_LINE = 105

HELP = """\
All options of heft fleet (below), and
  --store s3://bucket/name   an object store; credentials come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
                             AWS_REGION; AWS_ENDPOINT_URL for services other than Amazon's; AWS_ALLOW_HTTP=true for plain http)
  --engine local|ray|dask    workers: processes of this machine, the cluster of RAY_ADDRESS, that of
                             DASK_SCHEDULER_ADDRESS; without an address Ray and Dask start one on this machine
  --shards N                 parts of each stage (default: 32 logs each, at least four per worker)
  --patience S               seconds for which a failed request to the store is repeated (default: 60)
  FLEET.parquet              a manifest in Parquet
Logs and robot files are paths that all machines can open. Results are bit-identical for all of these options.
Exit codes: 0 all robots done, 1 some failed (the others are done), 5 stopped: run again to continue.
"""


def main(words: list[str]) -> int | None:
    """Returns the exit code of `heft fleet WORDS`; None if the program does the work without Python."""
    if not words or words[0] not in COMMANDS:
        return None
    has_manifest = len(words) > 1 and not words[1].startswith("-")
    options, flags = _parser().parse_known_args(words[2:] if has_manifest else words[1:])
    if options.help:
        print(HELP)
    if options.help or not options.store:
        return None
    options.command, options.manifest = words[0], words[1] if has_manifest else ""
    is_own = is_url(options.store) or options.manifest.endswith(".parquet")
    if not is_own and not (options.command == "run" and (options.engine or options.shards)):
        return None
    if options.command in FORMER_STAGES:
        options.command = FORMER_STAGES[words[0]]
        print(f"heft: note: {words[0]} is now called {options.command}", file=sys.stderr)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        _check(options)
        return _command(options, tuple(flags))
    except (KeyboardInterrupt, Stopped):
        print("heft: stopped before the end; repeat the command to continue", file=sys.stderr)
        return STOPPED
    except HeftError as error:
        print(f"heft: {error}", file=sys.stderr)
        return 1


def _check(options) -> None:
    if not options.manifest:
        raise HeftError("heft fleet", "needs the manifest", f"name it first: fleet {options.command} FLEET.csv --store ..")
    for name in ("jobs", "shards", "patience", "time"):
        if not 0 <= getattr(options, name) < 1e7:
            raise HeftError(f"--{name}", f"{getattr(options, name)} is out of range", "give a number from 0 to below 1e7")


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"heft fleet: {message}\nRun with --help for more information.", file=sys.stderr)
        sys.exit(WRONG_COMMAND_LINE)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--store")
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--shards", type=int, default=0)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--time", type=float, default=0)
    parser.add_argument("--memory", type=float)
    parser.add_argument("--patience", type=float, default=PATIENCE)
    parser.add_argument("--gate")
    for flag in ("--quiet", "--no-pages", "--dry-run", "--yes"):
        parser.add_argument(flag, action="store_true")
    return parser


def _command(options, flags: tuple[str, ...]) -> int:
    manifest = os.path.abspath(options.manifest)
    store = options.store if is_url(options.store) else os.path.abspath(options.store)
    memory = () if options.memory is None else ("--memory", str(options.memory))
    work = Work(manifest, store, os.getcwd(), flags, memory, ("--no-pages",) if options.no_pages else (),
                options.patience)
    if options.command in STAGES:
        done = do_shard(work, options.command, options.shard)
        print(f"{options.command}: {len(done.keys)} pieces of this shard are there")
        return 0
    if options.command == "run" and not options.dry_run:
        _run(work, options)
    return _look(work, options)


def _run(work: Work, options) -> None:
    """Maps and solves in shards; repeats a stage whose pieces are damaged and makes them again. In between, computes population priors,
    one task per model."""
    with tempfile.TemporaryDirectory(prefix="heft-fleet-") as scratch:
        manifest = readable_manifest(work.manifest, Path(scratch))
        if is_url(work.store):
            objects, folder = ObjectStore(work.store, work.patience), Path(scratch) / "store"
            with Carrier(objects, folder):
                terms = terms_of(work, manifest, folder)
            take_results(objects, terms.options)
        else:
            terms = terms_of(work, manifest, work.store)
    work = replace(work, terms=terms)
    stages = STAGES if terms.uses_population_prior else ("map", "solve")
    workers = options.jobs or os.cpu_count() or 1
    rows = num_rows(work.manifest)
    count = options.shards or max(min(rows, SHARDS_A_WORKER * workers), -(-rows // LOGS_A_SHARD))
    ends = time.monotonic() + options.time if options.time > 0 else None
    with engine(options.engine or "local", workers) as each:
        for _ in range(2):
            damaged = 0
            for stage in stages:
                parts = min(count, workers) if stage == "population" else count  # a model each, which looks at all robots
                tuples = ((work, stage, f"{i}/{parts}") for i in range(parts))
                for number, done in enumerate(each(do_shard, tuples), 1):
                    damaged += done.damaged
                    _show(options, stage, number, parts, done)
                    if ends and time.monotonic() > ends:
                        raise Stopped("--time", "is over")
            if not damaged:
                break


def _show(options, stage: str, number: int, count: int, done: Done) -> None:
    if not options.quiet and sys.stderr.isatty():
        print(f"\r{stage}: {number} of {count} shards, {len(done.keys)} pieces in the last ", end="\n" if number == count else "",
              file=sys.stderr)


def _look(work: Work, options) -> int:
    """Prints the report after a run, a forecast, a status or removable pieces, for the whole store."""
    command = "report" if options.command == "run" and not options.dry_run else options.command
    words = [*work.flags, *(["--quiet"] if options.quiet else []), *(["--yes"] if options.yes else [])]
    words += ["--dry-run", *work.flags_of_solve] if options.dry_run else []
    words += ["--gate", os.path.abspath(options.gate)] if options.gate else []
    with tempfile.TemporaryDirectory(prefix="heft-fleet-") as scratch:
        manifest = readable_manifest(work.manifest, Path(scratch))
        if not is_url(work.store):
            return _print(program(work, command, manifest, work.store, *words), {scratch: os.path.dirname(work.manifest)})
        folder = Path(scratch) / "store"
        with Carrier(ObjectStore(work.store, work.patience), folder) as carrier:
            carrier.imitate_all()
            if command != "run":  # a forecast reads no log
                fetch_pieces(carrier, work, manifest, "map")
            done = program(work, command, manifest, folder, *words)
            if command == "gc" and options.yes:
                carrier.remove_what_is_gone()
            for view in VIEWS if command == "report" else ():
                if (folder / view).exists():
                    carrier.store.put(view, (folder / view).read_bytes())
        return _print(done, {str(folder): work.store, scratch: os.path.dirname(work.manifest)})


def _print(done, names: dict[str, str]) -> int:
    """The program's output, with temporary folders replaced by the names that they stand for."""
    for text, stream in ((done.stderr, sys.stderr), (done.stdout, sys.stdout)):
        for folder, name in names.items():
            text = text.replace(folder, name)
        print(text, end="", file=stream)
    return done.returncode


def _interrupt(*_):
    raise KeyboardInterrupt
