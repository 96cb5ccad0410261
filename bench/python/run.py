#!/usr/bin/env python3
"""What the Python module costs and whether it says the same: run.py --wheel FILE .. [--heft build/heft]
[--arrays build/bench/python/bench_arrays] [--data DIR] [--pythons PYTHON,PYTHON] [--json FILE] [--docs].

The first wheel is measured, with the Python that runs this; the others are for --pythons that it is not for. --docs writes the table
of docs/python.md.

  first result   a fresh environment, `pip install WHEEL` and its dependencies from the configured index, the Franka Panda's log
  same answers   options of result.json that differ from the program's, over three real logs; times and paths apart
  overhead       processor time of heft.identify on arrays over the C++ call's, medians of interleaved calls, 1e5 samples
  rows           50 random robots against Pinocchio (HEFT_PYTHON_PEERS, an interpreter that has it): difference and speed, one
                 core each, medians of turns by wall-clock time; Pinocchio's in a loop of Python, as it has no other
  memory         private memory that summing 1e7 samples of a memory map takes beyond that of 1e6
  size, import   of the wheel; median of ten
  pythons        interpreters in whose fresh environments the wheel for them passes all tests of the module (python/tests/run.py)

Data: $HEFT_DATA or ../shared/data. Exit codes: 0 all musts reached, 1 one missed, 77 no wheel or no data.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

ROOT = heft_bench.ROOT
CASES = [("franka_panda", ["log_train"], "log_valid"), ("staubli_tx40", ["log_train"], "log_valid"),
         ("kuka_kr300", ["log_train_A", "log_train_B"], "log_valid_C")]
ROWS, CALLS, TURNS = 100_000, 5, 5
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

IDENTIFY = """
import json, sys
import heft_robot as heft
robot, config, held_out, *logs = sys.argv[1:]
result = heft.identify(robot, logs, held_out, config)
assert result.certified
print(json.dumps(result.to_dict()))
"""
TIME_CALLS = """
import sys, time
import numpy as np
sys.path.insert(0, sys.argv[3])
import heft_robot as heft
rows, calls = int(sys.argv[1]), int(sys.argv[2])
t = 0.002 * np.arange(rows)
q = np.sin(3 * t) + 0.5 * np.cos(5 * t)
qd, qdd = 3 * np.cos(3 * t) - 2.5 * np.sin(5 * t), -9 * np.sin(3 * t) - 12.5 * np.cos(5 * t)
tau = 0.5 * qdd - 9.81 * np.cos(q) + 0.3 * qd
urdf = open(sys.argv[4]).read()
for _ in range(calls):
    begin = time.process_time()
    result = heft.identify(heft.Robot.from_urdf_text(urdf), heft.Log(t, q, tau), progress=False)
    moment = result.parameters[1]
    print(time.process_time() - begin, moment)
"""
MEMORY = """
import sys, threading
import numpy as np
import heft_robot as heft
path, urdf, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
def private():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
robot = heft.Robot.from_urdf_text(open(urdf).read())
log = np.memmap(path, dtype=np.float64, mode="r", shape=(rows, 3))
before = peak = private()
done = threading.Event()
def watch():
    global peak
    while not done.wait(0.02):
        peak = max(peak, private())
watcher = threading.Thread(target=watch); watcher.start()
heft.moments(robot, heft.Log(log[:, 0], log[:, 1], log[:, 2]), progress=False)
done.set(); watcher.join()
print(peak - before)
"""
REGRESSOR = """
import sys, time
import numpy as np, pinocchio
sys.path.insert(0, sys.argv[1])
import robots
import heft_robot as heft
states, theirs_a_turn, turns = 10000, 1000, 5
worst, ours, theirs, first, size = 0, [], [], [], 0
rng = np.random.default_rng(7)
for k in range(50):
    text = robots.urdf(rng, int(rng.integers(2, 9)))
    model = pinocchio.buildModelFromXML(text)
    data, robot = model.createData(), heft.Robot.from_urdf_text(text)
    order = [model.joints[model.getJointId(name)].idx_v for name in robot.joints]
    bodies = [model.getJointId(name) - 1 for name in robot.joints]
    q, qd, qdd = rng.normal(size=(3, states, model.nv))
    mine = [x[:, order] for x in (q, qd, qdd)]
    mine_took, theirs_took = [], []
    for turn in range(turns + 1):
        begin = time.perf_counter()
        rows = robot.regressor(*mine, threads=1)
        mine_took.append((time.perf_counter() - begin) / states)
        other = np.empty((theirs_a_turn, model.nv, 10 * model.nv))
        begin = time.perf_counter()
        for i in range(theirs_a_turn):
            other[i] = pinocchio.computeJointTorqueRegressor(model, data, q[i], qd[i], qdd[i])
        theirs_took.append((time.perf_counter() - begin) / theirs_a_turn)
    first.append(mine_took.pop(0))
    ours.append(np.median(mine_took)); theirs.append(np.median(theirs_took))
    size += rows.nbytes / states
    other = other[:, order].reshape(theirs_a_turn, len(order), -1, 10)[:, :, bodies].reshape(theirs_a_turn, *rows.shape[1:])
    worst = max(worst, np.abs(rows[:theirs_a_turn] - other).max() / np.abs(other).max())
print(worst, sum(theirs) / sum(ours), 1e6 * np.mean(ours), 1e6 * np.mean(theirs), 1e6 * np.mean(first), size / sum(ours) * 1e-9)
"""
PENDULUM = """<robot name="pendulum"><link name="base"/>
  <link name="bob"><inertial><origin xyz="0.5 0 0"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="9" effort="60"/></joint></robot>"""


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in words)[:200]}\n{done.stderr}")
    return done.stdout


def differences(a, b, path=""):
    """Places where two documents differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [place for key in a.keys() | b.keys() for place in differences(a.get(key), b.get(key), f"{path}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [place for i, (x, y) in enumerate(zip(a, b)) for place in differences(x, y, f"{path}[{i}]")]
    return [] if a == b else [path]


def without_timings(document):
    return {key: value for key, value in document.items() if key not in ("timings", "reading")}


def first_result(report, wheel, data, scratch):
    """Returns the interpreter with the wheel, and the Panda's result."""
    begin = time.perf_counter()
    run(sys.executable, "-m", "venv", scratch / "env")
    python = scratch / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel)
    answers = {"franka_panda": answer(python, data, *CASES[0])}
    report.add("new environment, pip install, the Panda's first certified result", time.perf_counter() - begin, "s", must=60, smaller_is_better=True)
    return python, answers


def answer(python, data, name, training, held_out):
    folder = data / name
    return json.loads(run(python, "-c", IDENTIFY, folder / "robot.urdf", ROOT / "bench" / "real_logs" / f"{name}.yaml",
                          folder / f"{held_out}.csv", *(folder / f"{log}.csv" for log in training)))


def same_answers(report, python, heft, data, scratch, answers):
    for name, training, held_out in CASES:
        folder = data / name
        ours = answers.get(name) or answer(python, data, name, training, held_out)
        logs = [word for log in training for word in ("--log", folder / f"{log}.csv")]
        out = scratch / f"result_{name}"
        subprocess.run([str(w) for w in (heft, "identify", "--quiet", "--robot", folder / "robot.urdf", "--config",
                                         ROOT / "bench" / "real_logs" / f"{name}.yaml", *logs, "--validate",
                                         folder / f"{held_out}.csv", "--out", out)], capture_output=True)
        theirs = json.loads((out / "result.json").read_text())
        places = differences(without_timings(ours), without_timings(theirs))
        report.add(f"{name}: entries that differ from the program's", len(places), "1", must=0, smaller_is_better=True)


def overhead(report, python, program, scratch):
    if not program.exists():
        return
    (scratch / "pendulum.urdf").write_text(PENDULUM)
    ours, theirs = [], []
    for _ in range(TURNS):
        for times, words in ((ours, (python, "-c", TIME_CALLS, ROWS, CALLS, scratch, scratch / "pendulum.urdf")),
                             (theirs, (program, ROWS, CALLS))):
            times += [float(line.split()[0]) for line in run(*words).splitlines()]
    report.add("identify on 1e5 samples of arrays in C++", 1e3 * statistics.median(theirs), "ms of processor")
    report.add("the same in Python, over C++", 100 * (statistics.median(ours) / statistics.median(theirs) - 1), "%", must=5, smaller_is_better=True)


def regressor(report, python):
    peers = os.environ.get("HEFT_PYTHON_PEERS")
    if not peers:
        return
    packages = run(python, "-c", "import heft_robot, pathlib; print(pathlib.Path(heft_robot.__file__).parents[1])").strip()
    with tempfile.TemporaryDirectory() as folder:  # the module alone: the peers have a numpy of their own
        for name in ("heft_robot", "heft_robot.libs"):
            if (pathlib.Path(packages) / name).exists():
                (pathlib.Path(folder) / name).symlink_to(pathlib.Path(packages) / name)
        worst, faster, ours, theirs, first, speed = map(float, run(
            peers, "-c", REGRESSOR, ROOT / "bench" / "charts", env={**os.environ, "PYTHONPATH": folder}).split())
    report.add("regressor of 50 random robots, difference from Pinocchio's", worst, "1", must=1e-12, smaller_is_better=True)
    report.add("its speed over Pinocchio's in Python, a core each", faster, "times", must=10)
    report.add("a state of regressor()", ours, "us")
    report.add("a state of Pinocchio's", theirs, "us")
    report.add("a state of a robot's first regressor()", first, "us")
    report.add("numbers written by regressor()", speed, "GB/s")


def memory(report, python, scratch):
    (scratch / "pendulum.urdf").write_text(PENDULUM)
    import array
    import math
    path = scratch / "log.bin"
    with open(path, "wb") as file:
        for begin in range(0, 10_000_000, 100_000):
            rows = array.array("d")
            for i in range(begin, begin + 100_000):
                t = 0.002 * i
                rows.extend((t, math.sin(3 * t) + 0.5 * math.cos(5 * t), math.sin(t)))
            rows.tofile(file)
    grown = {rows: float(run(python, "-c", MEMORY, path, scratch / "pendulum.urdf", rows)) for rows in (1_000_000, 10_000_000)}
    report.add("private memory for 1e6 samples of a memory map", grown[1_000_000], "MB")
    report.add("private memory for 1e7, beyond that", grown[10_000_000] - grown[1_000_000], "MB", must=16, smaller_is_better=True)


def import_time(report, python):
    code = "import time; b = time.perf_counter(); import heft_robot; print(time.perf_counter() - b)"
    times = [float(run(python, "-c", code)) for _ in range(11)][1:]
    report.add("import, median of ten", statistics.median(times), "s", must=0.3, smaller_is_better=True)


def wheel_for(version, wheels):
    """The first wheel for this version of Python: cp311-cp311 for 3.11 alone, cp312-abi3 for 3.12 and later."""
    minor = int(version.split(".")[1])
    for wheel in wheels:
        least, abi = re.search(r"-cp3(\d+)-(abi3|cp3\d+)-", wheel.name).groups()
        if minor == int(least) or (abi == "abi3" and minor > int(least)):
            return wheel
    sys.exit(f"no wheel for Python {version}")


def pythons(report, wheels, interpreters, data, scratch):
    """Runs each in its own environment."""
    passed = []
    for interpreter in interpreters:
        version = run(interpreter, "-c", "import platform; print(platform.python_version())").strip()
        wheel = wheel_for(version, wheels)
        done = subprocess.run([interpreter, ROOT / "python" / "tests" / "run.py", scratch / version, "--wheel", wheel], text=True,
                              capture_output=True, env={**os.environ, "HEFT_DATA": str(data)})
        print(f"Python {version}: {(done.stdout.strip() or done.stderr.strip()).splitlines()[-1]}")
        if done.returncode == 0:
            passed.append(version)
    if interpreters:
        report.add(f"Pythons on which all tests pass ({', '.join(passed)})", len(passed), f"of {len(interpreters)}", must=len(interpreters))


def write_docs(report, path=ROOT / "docs" / "python.md"):
    lines = [f"On {heft_bench.machine()}, commit {heft_bench.commit()}:", "", "| what | measured | must |", "|---|---|---|"]
    for row in report.rows:
        value, must = ("" if row[key] is None else f"{row[key]:.3g} {row['unit']}".removesuffix(" 1") for key in ("value", "must"))
        lines.append(f"| {row['name']} | {value or 'not measured'} | {must} |")
    heft_bench.write_between(path, BEGIN, END, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path, nargs="+", default=[])
    parser.add_argument("--heft", type=pathlib.Path, default=ROOT / "build" / "heft")
    parser.add_argument("--arrays", type=pathlib.Path, default=ROOT / "build" / "bench" / "python" / "bench_arrays")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("HEFT_DATA", ROOT.parent / "shared" / "data")))
    parser.add_argument("--pythons", default="", help="interpreters, separated by commas")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true", help="write the table of docs/python.md")
    options = parser.parse_args()
    wheels = [wheel.resolve() for wheel in options.wheel]
    if not wheels or not all(wheel.exists() for wheel in wheels) or not (options.data / "franka_panda").is_dir():
        print("no wheel (python/tests/run.py makes one), or no real logs (HEFT_DATA)")
        return heft_bench.NOTHING_TO_RUN_ON
    report = heft_bench.Report()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        python, answers = first_result(report, wheels[0], options.data, scratch)
        same_answers(report, python, options.heft, options.data, scratch, answers)
        overhead(report, python, options.arrays, scratch)
        regressor(report, python)
        memory(report, python, scratch)
        import_time(report, python)
        pythons(report, wheels, [name for name in options.pythons.split(",") if name], options.data, scratch)
    report.add("wheel", wheels[0].stat().st_size / 1e6, "MB")
    if options.docs:
        write_docs(report)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
