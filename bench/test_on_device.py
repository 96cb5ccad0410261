#!/usr/bin/env python3
"""bench/on_device.sh without a device: its time limits, and its tables from emulated programs."""
import json
import os
import pathlib
import re
import stat
import subprocess
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ["conformance", "sanitizer", "model", "tables", "runs", "profile"]
MOST_OF_A_CALL, MOST_OF_A_SESSION = 600, 1800  # seconds
DEVICE = "NVIDIA H100 80GB HBM3"


def on_device(*words, **more):
    return subprocess.run([HERE / "on_device.sh", *words], capture_output=True, text=True, **more)


class Limits(unittest.TestCase):
    def test_every_part_fits_a_call_and_all_fit_a_session(self):
        total = 0
        for part in PARTS:
            done = on_device(part, "--dry-run")
            self.assertEqual(done.returncode, 0, done.stderr)
            limits = [int(limit) for limit in re.findall(r"^(\d+) s at most: ", done.stdout, re.M)]
            self.assertGreater(len(limits), 0, part)
            self.assertTrue(all(limit > 0 for limit in limits), part)
            self.assertLess(sum(limits), MOST_OF_A_CALL, part)
            total += sum(limits)
        self.assertLessEqual(total, MOST_OF_A_SESSION)

    def test_parts_of_a_short_session_take_four_minutes(self):
        for part, steps in (("waves", 4), ("kernels", 10), ("motions", 5), ("large_fleet", 1), ("peer", 2)):
            done = on_device(part, "--dry-run")
            self.assertEqual(done.returncode, 0, done.stderr)
            limits = [int(limit) for limit in re.findall(r"^(\d+) s at most: ", done.stdout, re.M)]
            self.assertEqual(len(limits), steps, part)
            self.assertLessEqual(sum(limits), 180 if part == "motions" else 240, part)

    def test_wrong_command_lines(self):
        for words in ([], ["everything"], ["model", "tables"], ["model", "--fast"], ["model", "--out"]):
            done = on_device(*words)
            self.assertEqual(done.returncode, 100, words)
            self.assertIn("bench/on_device.sh:", done.stderr)


class EmulatedMachine:
    """A folder of programs that print the output of real ones, and leave their files."""

    def __init__(self, folder):
        self.folder = folder
        self.put("bin/nvidia-smi", f'case "$*" in *name*) echo "{DEVICE}";; *driver*) echo 580.1;; esac')
        for name in ("tests/conformance/conformance_test", "tests/conformance/solve_kernels_test"):
            results = json.dumps({"testsuites": [{"testsuite": [
                {"status": "RUN", "result": "COMPLETED"}, {"status": "RUN", "result": "COMPLETED", "failures": [{}]},
                {"status": "RUN", "result": "SKIPPED"}, {"status": "NOTRUN", "result": "SUPPRESSED"}]}]})
            self.put(name, f"""for word; do case $word in --gtest_output=json:*) echo '{results}' > "${{word#*json:}}";; esac; done
echo "[==========] 3 tests from 1 test suite ran. (5 ms total)" """)
        row = {"robot": "arm7", "precision": "fp64", "form": "summed", "samples_per_s": 1.5e9, "ns_per_sample": 0.6667,
               "multiply_adds_per_s": 2e12, "share_of_peak": 0.25}
        self.put("heft", f"""while [ $# -gt 0 ]; do [ $1 != --json ] || echo '{json.dumps({"rows": [row]})}' > "$2"; shift; done""")
        self.put("bench/solver/bench_device", "echo '| eigenvectors, 4x4 | 7000 | Jacobi | 1.250 | 2e-15 |'")
        self.put("bench/solver/bench_solver", "echo '{}'")
        self.put("bench/device_model/device_workloads", "echo 1000")
        self.put("bench/excite/bench_excite", '''case $2 in *humanoid36*) exit 1;; esac
echo '{"motions": 4096, "samples": 200, "host_motions_a_second": 1000, "device_motions_a_second": 12500,
"times_as_fast": 12.5, "value_error": 2e-12, "gradient_error": 3e-10}' | tr -d '\n'; echo''')
        self.put("bin/compute-sanitizer", """tool=$2; shift 4; "$@"
[ $tool = racecheck ] && echo "========= RACECHECK SUMMARY: 2 hazards displayed (0 errors, 2 warnings)" && exit 1
echo "========= ERROR SUMMARY: 0 errors" """)
        self.put("bin/ncu", """while [ $# -gt 0 ]; do case $1 in
  --log-file) printf '%s\\n' '==PROF== connected' '"Kernel Name","gpu__time_duration.sum","dram__bytes.sum"' '"","us","Kbyte"' \\
    '"moments","1.5","100"' '"fold","0.5","1,000"' > "$2"; shift;;
  */device_workloads) "$@"; exit;; esac; shift; done""")

    def put(self, name, commands):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{commands}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run(self, part):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = on_device(part, "--build", str(self.folder), "--out", str(self.folder / "out"), env={**os.environ, "PATH": path})
        return done, (self.folder / "out" / f"{part}.md").read_text()


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = EmulatedMachine(pathlib.Path(folder.name))

    def test_each_names_date_device_driver_and_commit(self):
        for part in ("sanitizer", "tables"):
            _, table = self.machine.run(part)
            self.assertRegex(table.splitlines()[0], rf"^{part}, \d{{4}}-\d\d-\d\d \d\d:\d\d: {DEVICE}, driver 580.1, commit \w+")

    def test_conformance_counts_what_ran(self):
        _, table = self.machine.run("conformance")
        self.assertIn("| moments | 2 | 1 | 1 |", table)
        self.assertIn("| solver | 2 | 1 | 1 |", table)

    def test_findings_of_the_sanitizer_fail(self):
        done, table = self.machine.run("sanitizer")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("| memcheck, moments | 3 | 0 |", table)
        self.assertIn("| racecheck, solver | 3 | 2 |", table)
        self.assertIn("| racecheck, motions | eight motions | 2 |", table)

    def test_what_did_not_run_is_named_as_missing(self):
        self.machine.put("heft", "exit 7")
        self.machine.put("tests/conformance/conformance_test", "exit 7")
        self.machine.put("bench/solver/bench_device", "exit 7")
        done, table = self.machine.run("sanitizer")
        self.assertIn("| memcheck, moments | missing | 0 |", table)
        done, table = self.machine.run("tables")
        self.assertEqual(done.returncode, 16, done.stdout)
        self.assertIn("FAILED  solver_kernels (7)", done.stdout)
        self.assertIn("missing", table)

    def test_speeds(self):
        done, table = self.machine.run("tables")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("| arm7 | cuda one sum | fp64 summed | 1500.0 | 0.67 | 2000 | 25 % |", table)
        self.assertIn("| eigenvectors, 4x4 | 7000 |", table)

    def test_whole_runs_without_a_device_that_answers(self):
        done, table = self.machine.run("runs")
        self.assertIn("FAILED  runs (77)", done.stdout)
        self.assertIn("| runs | missing |", table)

    def test_waves_count_tests_and_name_what_is_missing(self):
        done, table = self.machine.run("waves")
        self.assertIn("FAILED  waves (77)", done.stdout)  # no device answers
        self.assertIn("FAILED  fleet (77)", done.stdout)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("| logs | 2 | 1 | 1 |", table)
        for name in ("fleet", "long", "waves"):
            self.assertIn(f"| {name} | missing |", table)

    def test_kernels_alone(self):
        self.machine.put("bench/device_model/device_workloads", """case $4 in
  default) echo "bytes 154650624 seconds 0.008000"; echo 192;; all_options) echo "no device" >&2; exit 1;; *) echo 1000;; esac""")
        done, table = self.machine.run("kernels")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("| default | 8.00 | 41.7 | 19.3 |", table)
        self.assertIn("| all options | missing |", table)
        self.assertIn("| arm7 | cuda fourier | fp64 summed | 1500.0 |", table)
        self.assertIn("| arm7 | fp64 | 0.500 | no figure |", table)
        self.assertIn("| eigenvectors, 4x4 | 7000 |", table)

    def test_a_large_fleet_without_a_device_that_answers(self):
        done, table = self.machine.run("large_fleet")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("| fleet | missing |", table)

    def test_heft_and_moreau_side_by_side(self):
        batch = {"bodies": 7, "weight": 1e-3, "count": 800, "certified": 20, "distinct": 20, "us": 28.4,
                 "device": {"us": 26.8, "us_all_threads": 4.85, "certified": 20}}
        self.machine.put("bench/solver/bench_solver", f"echo '{json.dumps({'batches': [batch, batch | {'bodies': 3}]})}'")
        (self.machine.folder / "problems.bin").write_bytes(b"")
        self.machine.put("python", """while [ $# -gt 0 ]; do [ "$1" != --json ] || echo '{"rows": [
  {"name": "800 problems of 7 bodies, w 0.001: Moreau 0.4.1, cuda", "value": 96.0, "unit": "us a problem", "ok": true}]}' > "$2"; shift; done""")
        with unittest.mock.patch.dict(os.environ, {"HEFT_PYTHON_MOREAU": str(self.machine.folder / "python")}):
            done, table = self.machine.run("peer")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("| 800 problems of 7 bodies, w 0.001: Heft, 20/20 certified, CPU, one thread | 28.4 us a problem |", table)
        self.assertIn("| 800 problems of 7 bodies, w 0.001: Heft, device, fed by all threads | 4.85 us a problem |", table)
        self.assertIn("| 800 problems of 7 bodies, w 0.001: Moreau 0.4.1, cuda | 96 us a problem |", table)
        self.assertNotIn("3 bodies", table)

    def test_a_peer_that_is_missing_is_named(self):
        self.machine.put("bench/solver/bench_solver", "exit 9")
        with unittest.mock.patch.dict(os.environ, {"HEFT_PYTHON_MOREAU": "/nowhere/python"}):
            done, table = self.machine.run("peer")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("| Heft | missing |", table)
        self.assertIn("| moreau | missing |", table)

    def test_motions_name_both_speeds_and_what_is_missing(self):
        design = {"status": "feasible", "log_det": 512.25, "search": {"evaluations": 4000, "cpu_s": 2.5},
                  "provenance": {"wave": {"device_s": 0.5, "launches": 900}}}
        self.machine.put("heft", f'''backend=; while [ $# -gt 0 ]; do case $1 in --backend) backend=$2;; --out) out=$2;; esac; shift; done
[ $backend = cuda ] || exit 1
mkdir -p "$out" && echo '{json.dumps(design)}' > "$out/design.json"''')
        done, table = self.machine.run("motions")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("FAILED  scores_humanoid36 (1)", done.stdout)
        self.assertIn("| demo_arm | 1000 | 1.25e+04 | 12.5 | 2.0e-12, 3.0e-10 |", table)
        self.assertIn("| humanoid36 | missing |", table)
        self.assertIn("| cpu | missing |", table)
        self.assertIn("| cuda | feasible | 512.250 | 4000 | 2.50 | 0.50 | 900 |", table)

    def test_model_against_counters(self):
        # 1000 samples in 2 us, by two kernels that move 1.1 MB
        _, table = self.machine.run("model")
        self.assertRegex(table, r"\| arm7 \| fp64 \| 0\.500 \| no figure \|  \| nan \| nan \| nan \| nan \| nan \| 1\.1e\+03 \|")

    def test_model_takes_the_ceiling_of_the_device(self):
        rows = [{"name": f"{chip}, 7-joint arm, {precision} summed: ceiling of the most loaded pipe, fp64", "value": value,
                 "least": 0.8 * value, "most": 2 * value}
                for chip, precision, value in (("B200", "fp64", 9e9), ("H100", "fp64", 1e9), ("H100", "fp32", 2e9))]
        (self.machine.folder / "model.json").write_text(json.dumps({"rows": rows}))
        _, table = self.machine.run("model")
        self.assertIn("| arm7 | fp64 | 0.500 | 1.00 (0.80 to 2.00) | 50 % |", table)
        self.assertIn("| arm7 | fp32 | 0.500 | 2.00 (1.60 to 4.00) | 25 % |", table)


class Docs(unittest.TestCase):
    """bench/device_docs.py takes the newest file that has both figures of a row."""

    def test_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            stored = {"a/runs.md": ("runs, 2026-11-26 16:07", ["| identify, 1000000 rows, --backend cpu | 1.7 s |",
                                                               "| identify, 1000000 rows, --backend cuda | 2.2 s |",
                                                               "| fleet of 640 robots, --backend cpu | 126 robots/s |",
                                                               "| fleet of 640 robots, --backend cuda | 50.5 robots/s |"]),
                      "b/waves.md": ("waves, 2026-12-01", ["| fleet of 640 arms: cpu | 130 robots/s |", "| fleet of 640 arms: cuda | 780 robots/s |",
                                                           "| one log of 1000000 rows: cpu, whole run | 1.6 s |"]),
                      "b/motions.md": ("motions, 2026-12-01 09:00", ["| arm7 | 1000 | 1.25e+04 | 12.5 | 2.0e-12, 3.0e-10 |"]),
                      "c/README.md": ("Whatever", ["| fleet of 640 arms: cpu | 1 robots/s |"])}
            for name, (first, lines) in stored.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text("\n".join([f"{first}: NVIDIA X, driver 1, commit abc", "", *lines]) + "\n")
            done = subprocess.run([HERE / "device_docs.py", "--results", folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("640 arms with three logs of 2000 rows | 130 robots/s | **780 robots/s** | 6 times | [2026-12-01, NVIDIA X]", done.stdout)
        # the newer file has only one of the two
        self.assertIn("1000000 rows | **1.7 s** | 2.2 s | slower, 0.77 times | [2026-11-26, NVIDIA X]", done.stdout)
        self.assertIn("7 joints | 1000 motions/s | **1.25e+04 motions/s** | 12 times |", done.stdout)
        self.assertNotIn("humanoid", done.stdout)


if __name__ == "__main__":
    unittest.main()
