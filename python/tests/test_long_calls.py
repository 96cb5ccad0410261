"""Long calls: their progress, their cancellation, and other Python threads meanwhile."""
import os
import pty
import select
import subprocess
import sys
import termios
import threading
import time

import numpy as np
import pytest

import heft_robot as heft
from conftest import PENDULUM
from heft_robot import _progress


@pytest.fixture
def log(swing):
    return heft.Log(swing.t, swing.q, swing.tau)


def test_progress_is_heard_and_may_stop(pendulum, log):
    heard = []
    heft.identify(pendulum, log, progress=lambda stage, fraction: heard.append((stage, fraction)))
    assert heard and all(isinstance(stage, str) and 0 <= fraction <= 1 for stage, fraction in heard)
    with pytest.raises(heft.Stopped):
        heft.identify(pendulum, log, progress=lambda stage, fraction: False)

    def broken(stage, fraction):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        heft.identify(pendulum, log, progress=broken)


def test_a_bar_is_drawn_and_goes(pendulum, log, capsys, monkeypatch):
    pytest.importorskip("tqdm")
    heard = []
    heft.moments(pendulum, log, progress=lambda stage, fraction: heard.append(stage))
    monkeypatch.setattr(_progress, "LONG", 0)
    heft.moments(pendulum, log, progress=True)
    out, err = capsys.readouterr()
    states = err.split("\r")
    assert out == "" and f"{heard[0]}: " in err and " %" in err
    assert states[-2].strip() == "" and states[-1] == ""  # written over with blanks, and back to the line's begin
    with pytest.raises(heft.HeftError):
        heft.identify(pendulum, heft.Log(np.arange(9.0), np.zeros(9), np.zeros(9)), progress=True)
    assert capsys.readouterr().err.split("\r")[-1] == ""


@pytest.mark.parametrize("progress, seconds", [(True, 1e9), (None, 0), (False, 0)])
def test_no_bar_of_a_short_call_nor_without_a_terminal(pendulum, log, capsys, monkeypatch, progress, seconds):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(_progress, "LONG", seconds)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # other tests run notebooks: none watches here
    heft.moments(pendulum, log, progress=progress)
    assert capsys.readouterr() == ("", "")


IN_TERMINAL = """
import sys
if sys.argv[2] == "missing":
    sys.modules["tqdm"] = None
import numpy as np
import heft_robot as heft
from heft_robot import _progress
_progress.LONG = 0
t = 0.002 * np.arange(20000)
heft.moments(heft.Robot.from_urdf_text(sys.argv[1]), heft.Log(t, np.sin(t), np.cos(t)))
"""


@pytest.mark.parametrize("tqdm", ["there", "missing"])
def test_a_terminal_has_a_bar_unasked(tqdm):
    pytest.importorskip("tqdm")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))  # without a width there is no room for a bar
    child = subprocess.Popen([sys.executable, "-c", IN_TERMINAL, PENDULUM, tqdm], stderr=theirs)
    os.close(theirs)
    written, deadline = b"", time.monotonic() + 120
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            written += os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
    os.close(ours)
    assert child.wait(60) == 0, written
    assert (b" %" in written and b"\r" in written) if tqdm == "there" else written == b"", written


ENDLESS = """
import os, signal, sys, threading, time
import numpy as np
import heft_robot as heft
robot = heft.Robot.from_urdf_text(sys.argv[1])
t = 0.002 * np.arange(20000)
log = heft.Log(t, np.sin(3 * t) + 0.5 * np.cos(5 * t), np.sin(t))
weighed = {"t": t[:200], **{name: np.sin((2 + k) * t[:200] + k) for k, name in enumerate(
    ["wx", "wy", "wz", "alx", "aly", "alz", "ax", "ay", "az", "gx", "gy", "gz", "fx", "fy", "fz", "nx", "ny", "nz"])}}
calls = {"moments": lambda: heft.moments(robot, [log] * 1000000, progress=False),
         "payload": lambda: heft.payload([heft.Log.from_table(weighed)] * 100000, progress=False),
         "simulate": lambda: heft.simulate(robot, sys.argv[3], duration=1e4, rate=1000, progress=False),
         "excite": lambda: heft.excite(robot, 10, starts=100000, progress=False)}
main = threading.main_thread().ident

def interrupt():  # when the main thread has been at one place for long: in the library
    same, before = 0, None
    while same < 30:
        frame = sys._current_frames()[main]
        place = frame.f_code, frame.f_lasti
        same, before = (same + 1 if place == before and frame.f_code.co_name == sys.argv[2] else 0), place
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    calls[sys.argv[2]]()
except KeyboardInterrupt:
    print("stopped", heft.moments(robot, log).num_samples > 0)
"""


@pytest.mark.parametrize("call", ["moments", "excite", "payload", "simulate"])
def test_a_keyboard_interrupt_stops(call, tmp_path):
    """A call that would otherwise take long, in most cases many minutes or hours."""
    done = subprocess.run([sys.executable, "-c", ENDLESS, PENDULUM, call, str(tmp_path)], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stdout) == (0, "stopped True\n"), done.stderr


def runs_of_another_thread(call, most=200):
    """How often another Python thread ran until `call` returned, repeated up to `most` times. A thread that holds the interpreter's lock
    cannot be interrupted; one that releases it soon gets it back."""
    runs, begin, end = [0], threading.Event(), threading.Event()

    def count():
        begin.wait()
        while not end.is_set():
            runs[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        begin.set()
        for _ in range(most):
            call()
            if runs[0]:
                break
        return runs[0]
    finally:
        sys.setswitchinterval(interval)
        end.set()
        thread.join()


@pytest.mark.parametrize("name", ["identify", "moments", "solve", "solve_batch", "predict", "read", "check", "observe", "regressor",
                                  "rows", "excite", "payload", "payload_batch", "simulate", "judge", "distance"])
def test_other_threads_run_meanwhile(pendulum, log, swing, name, tmp_path):
    result = heft.identify(pendulum, log)
    sums, states = result.moments, [np.column_stack([x]) for x in (swing.q, swing.qd, swing.qdd)]
    calls = {
        "identify": lambda: heft.identify(pendulum, log, progress=False),
        "moments": lambda: heft.moments(pendulum, log, progress=False),
        "solve": lambda: heft.solve(sums, progress=False),
        "solve_batch": lambda: heft.solve_batch([problem] * 100, progress=False),
        "predict": lambda: result.predict(log, progress=False),
        "read": lambda: log.read(["q1"], progress=False),
        "check": lambda: heft.check(pendulum, log, progress=False),
        "observe": lambda: heft.observe(pendulum, progress=False),
        "regressor": lambda: pendulum.regressor(*states),
        "rows": lambda: pendulum.rows("kinetic", *states, threads=1),
        "excite": lambda: heft.excite(pendulum, 1, starts=1, progress=False),
        "payload": lambda: heft.payload(held, progress=False),
        "payload_batch": lambda: heft.payload_batch(t, *([array] * 20 for array in (w, wd, u, wrench)), threads=1, progress=False),
        "simulate": lambda: heft.simulate(pendulum, tmp_path, duration=2, held_out=1, progress=False),
        "judge": lambda: heft.judge(pendulum, (swing.t[:2000], swing.q[:2000, None])),
        "distance": lambda: heft.distance(many, many),
    }
    t = 0.01 * np.arange(200)
    w, wd, u = (size * np.sin(np.arange(1, 4) * t[:, None] + size) for size in (1, 2, 9))
    at = np.array([0, 0, 0.1])  # where 1 kg is
    force = u + np.cross(wd, at) + np.cross(w, np.cross(w, at))
    wrench = np.hstack([force, np.cross(at, force)]) + 0.01 * np.random.default_rng(1).standard_normal((200, 6))
    names = ["wx", "wy", "wz", "alx", "aly", "alz", "ax", "ay", "az", "fx", "fy", "fz", "nx", "ny", "nz"]
    held = {"t": t, **dict(zip(names, np.hstack([w, wd, u, wrench]).T)), "gx": 0 * t, "gy": 0 * t, "gz": 0 * t}
    many = np.tile(pendulum.prior, (20000, 1))
    problem = heft.Problem.from_moments(sums)
    assert runs_of_another_thread(lambda: sum(range(10000))) == 0  # a call that keeps the lock is seen
    assert runs_of_another_thread(calls[name]) > 0


def test_calls_run_side_by_side(pendulum, log):
    """Three calls wait for each other: each is inside the library at the same time as the others, and returns what it returns alone."""
    expected = heft.identify(pendulum, log).parameters.copy()
    meeting, answers, errors = threading.Barrier(3, timeout=120), [], []

    def identify():
        has_met = []

        def meet(stage, fraction):
            if not has_met:
                has_met.append(meeting.wait())

        try:
            answers.append(heft.identify(pendulum, log, progress=meet).parameters)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=identify) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(answers) == 3 and all(np.array_equal(answer, expected) for answer in answers)
