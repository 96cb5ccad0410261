"""Logs written as files of other programs, and the criteria for reading such a file correctly."""

import arms
from judge import BASE, Rig, Wrong, first_line, need_refused, remedies_in

JOINTS = [f"a{k}" for k in range(1, 7)]
MATRICES = {"position": "q{i}", "torque": "tau{i}"}


def h5(content, **how):
    """Writes `content(log)`, names -> arrays, as data sets."""

    def write(path, log):
        import h5py

        options = content(log)
        with h5py.File(path, "w", **how) as file:
            for name, data in options.items():
                file[name] = data

    return write


def rig_of(bench, write, suffix="h5", **how):
    return Rig(bench, arms.six_joints(), write=write, suffix=suffix, **how)


def need_read(rig, log=None, flags=()):
    """Read at once, with the right result."""
    done = rig.identify(*flags, config={**BASE, **({"log": log} if log else {})})
    rig.need_right(done)


def need_read_or_told(rig, pattern, never=None, log=None):
    """Read with the right result, or rejected for this reason; a printed remedy in YAML works."""
    config = {**BASE, **({"log": log} if log else {})}
    done = rig.identify(config=config)
    if done.code != 1:
        rig.need_right(done)
        return
    offers = remedies_in(done.err)[:1]
    if not offers:
        need_refused(done, pattern, never)
    for remedy in offers:
        again = rig.identify(config={**config, "log": {**config.get("log", {}), **remedy.get("log", {})}})
        if again.code == 1:
            raise Wrong(f"remedy {remedy} does not help: {first_line(again.err)}")
        rig.need_right(again)
