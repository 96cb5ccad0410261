"""Input that is wrong, or changes during a call, gives an error that names it, or a result; never a crash, a hang or a guess. Data types,
strides and shapes of single arrays are in test_arrays.py."""
import mmap
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import heft_robot as heft
from conftest import PENDULUM, Swing


def holds_in_a_child(ask, seconds=60):
    """Whether ask() is true in a child process that is forked now; fails if it hangs."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if ask() else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    pytest.fail("the child hangs")


def test_masked_arrays_are_refused_by_name(swing):
    """Masked numbers are stored like all others, so reading in place would include them."""
    masked = np.ma.masked_greater(swing.q, 1)
    with pytest.raises(heft.HeftError) as error:
        heft.Log(swing.t, masked, swing.tau)
    assert error.value.where == "q" and "filled" in error.value.remedy


@pytest.mark.parametrize("missing", [False, True])
def test_columns_of_pandas_that_know_missing_values(swing, missing):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"t": swing.t, "q1": swing.q, "tau1": swing.tau}).astype("Float64")
    if missing:
        frame.loc[7, "q1"] = pandas.NA
    read = heft.Log.from_table(frame).read(["q1"])["q1"]
    assert np.isnan(read[7]) == missing and np.array_equal(np.delete(read, 7), np.delete(swing.q, 7))


def test_a_broadcast_array_is_read_as_it_looks(pendulum, swing):
    still = np.broadcast_to(0.3, swing.t.shape)  # a stride of zero
    assert np.array_equal(heft.Log(swing.t, still, swing.tau).read(["q1"])["q1"], still)


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_logs_of_hardly_any_rows(pendulum, rows):
    swing = Swing(rows)
    with pytest.raises(heft.HeftError) as error:
        heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau, name="short"))
    assert error.value.what


def test_rows_of_nan_everywhere(pendulum, swing):
    nothing = np.full_like(swing.q, np.nan)
    for log in (heft.Log(swing.t, nothing, swing.tau, name="run 3"), heft.Log(swing.t, swing.q, nothing, name="run 3")):
        with pytest.raises(heft.HeftError) as error:
            heft.identify(pendulum, log)
        assert error.value.what


def test_times_of_nan_or_backwards(pendulum, swing):
    for t in (np.where(swing.t == swing.t[77], np.nan, swing.t), swing.t[::-1]):
        with pytest.raises(heft.HeftError, match="run 4"):
            heft.identify(pendulum, heft.Log(t, swing.q, swing.tau, name="run 4"))


def test_arrays_written_while_they_are_read(pendulum):
    """The result is one for some state of the numbers, or an error; the process survives."""
    swing = Swing(400_000)
    log = heft.Log(swing.t, swing.q, swing.tau)
    done = threading.Event()

    def write():
        rng = np.random.default_rng(1)
        while not done.is_set():
            at = rng.integers(0, len(swing.t), 1000)
            swing.q[at] = rng.choice([np.nan, np.inf, 1e300, 0.5])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(10):
            try:
                assert np.isfinite(heft.identify(pendulum, log, progress=False).parameters).all()
            except heft.HeftError as error:
                assert error.what
    finally:
        done.set()
        writer.join()
    clean = Swing(20_000)
    assert heft.identify(pendulum, heft.Log(clean.t, clean.q, clean.tau)).certified


def test_arrays_let_go_of_while_they_are_read(pendulum):
    """The call keeps references: the caller may drop the arrays meanwhile, and cannot shrink or unmap them."""
    swing = Swing(1_000_000)
    expected = heft.moments(pendulum, heft.Log(swing.t, swing.q, swing.tau)).normal_equations()[0]
    arrays = {"t": swing.t, "q": swing.q, "tau": swing.tau}
    del swing
    sums = []
    thread = threading.Thread(target=lambda log: sums.append(heft.moments(pendulum, log, progress=False)), args=(heft.Log(**arrays),))
    thread.start()
    arrays.clear()
    while thread.is_alive():
        np.full(1_000_000, np.nan)  # memory that was let go of would be taken again
    thread.join()
    assert np.array_equal(sums[0].normal_equations()[0], expected)
    q = np.zeros(100)
    log = heft.Log(np.arange(100.0), q)
    with pytest.raises(ValueError, match="resize"):
        q.resize(10)
    with mmap.mmap(-1, 8 * 100) as memory:
        mapped = heft.Log(np.arange(100.0), np.frombuffer(memory))
        with pytest.raises(BufferError):
            memory.close()
        del mapped
    assert np.array_equal(log.read(["q1"])["q1"], np.zeros(100))


def test_a_robot_with_moments_of_another(arm, pendulum, swing):
    """Moments of another robot are an error wherever both are given."""
    other = heft.moments(pendulum, heft.Log(swing.t, swing.q, swing.tau))
    for use in (lambda: heft.solve(other, robot=arm), lambda: heft.Problem.from_moments(other, robot=arm),
                lambda: heft.excite(arm, 2, starts=1, known=other),
                lambda: heft.judge(arm, (swing.t, np.zeros((len(swing.t), 7))), known=other)):
        with pytest.raises(heft.HeftError) as error:
            use()
        assert "robot" in str(error.value)


def test_predictions_of_another_width(pendulum, swing):
    result = heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau))
    wide = heft.Log(swing.t, np.column_stack([swing.q, swing.q]), np.column_stack([swing.tau, swing.tau]))
    for use in (lambda: result.predict(wide), lambda: heft.predict(result, wide, external_torque="causal")):
        with pytest.raises(heft.HeftError) as error:
            use()
        assert f"({len(swing.t)}, 2)" in error.value.what and f"({len(swing.t)}, 1)" in error.value.what


def answers_as_before(pendulum, log, swing):
    """A function that checks that calls in one thread and in several return what they return now."""
    states = [np.column_stack([x]) for x in (swing.q, swing.qd, swing.qdd)]

    def ask():
        return heft.moments(pendulum, log, progress=False).normal_equations()[0], pendulum.regressor(*states, threads=3)

    expected = ask()
    return lambda: all(np.array_equal(one, other) for one, other in zip(ask(), expected))


def test_fork_after_threads(pendulum, swing):
    """The library keeps threads between calls; a child process has none of them, but can still call it."""
    is_as_before = answers_as_before(pendulum, heft.Log(swing.t, swing.q, swing.tau), swing)
    assert holds_in_a_child(is_as_before)
    assert is_as_before()


def test_a_fork_while_a_call_runs(pendulum, swing):
    """A child process can use the library even if a thread of its parent was inside it at the fork."""
    log = heft.Log(swing.t, swing.q, swing.tau)
    is_as_before = answers_as_before(pendulum, log, swing)
    done = threading.Event()

    def keep_busy():
        while not done.is_set():
            heft.identify(pendulum, log, progress=False)
            pendulum.regressor(*np.zeros((3, 20000, 1)), threads=3)

    busy = threading.Thread(target=keep_busy)
    busy.start()
    try:
        for _ in range(5):
            time.sleep(0.02)
            assert holds_in_a_child(is_as_before)
    finally:
        done.set()
        busy.join()


@pytest.mark.parametrize("package, install, use", [
    ("sklearn", "scikit-learn", "heft.Identifier"),
    ("matplotlib", "matplotlib", "heft.Result(None, {'bodies': [], 'robot': 'r'}).plot()"),
    ("tqdm", "tqdm", "heft.moments(heft.Robot.from_urdf_text(urdf), heft.Log([0, 1], [0, 1], [0, 1]), progress=True)")])
def test_a_package_that_is_missing(package, install, use):
    """The error names the package and how to install it; everything that does not need it works."""
    code = f"""
import sys
sys.modules[{package!r}] = None
import heft_robot as heft
urdf = sys.stdin.read()
try:
    {use}
except heft.MissingPackage as error:
    print(error.where, error.remedy)
print(heft.Robot.from_urdf_text(urdf).name)
"""
    done = subprocess.run([sys.executable, "-c", code], input=PENDULUM, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{install} pip install {install},") and "pendulum" in done.stdout


def test_a_package_that_is_broken(tmp_path):
    """An installed package that cannot be imported, as after an upgrade that leaves files behind: its own message is shown."""
    (tmp_path / "tqdm.py").write_text("raise ImportError('half of it is missing')\n")
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import heft_robot as heft
try:
    heft.moments(heft.Robot.from_urdf_text(sys.stdin.read()), heft.Log([0, 1], [0, 1], [0, 1]), progress=True)
except heft.MissingPackage as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], input=PENDULUM, capture_output=True, text=True, check=True)
    assert "cannot be imported" in done.stdout and "half of it is missing" in done.stdout
    assert "pip install --force-reinstall tqdm" in done.stdout
