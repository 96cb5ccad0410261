"""No number of a robot file leads to NaN or infinity: every command ends with an error or with finite outputs."""

import json
import math
import pathlib
import re

from heft_program import HeftTestCase, run_heft

ROBOT = """<robot name="pair"><link name="base"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
 <limit lower="-2" upper="2" effort="40" velocity="3"/><dynamics damping="0.2" friction="0.3"/></joint>
<link name="arm"><inertial><origin xyz="0.1 0.02 0"/><mass value="2"/>
 <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.011"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="arm"/><child link="tool"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/>
 <limit lower="-0.2" upper="0.2" effort="60" velocity="0.5"/></joint>
<link name="tool"><inertial><origin xyz="0.05 0 0.01"/><mass value="0.8"/>
 <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.0018"/></inertial></link></robot>
"""
SIZES = ("0", "1e-320", "1e-300", "1e-30", "1e30", "1e300", "1.7e308")
FIELDS = {"velocity": 'velocity="3"', "effort": 'effort="40"', "lower": 'lower="-2"', "upper": 'upper="2"',
          "mass": 'mass value="2"', "inertia": 'iyy="0.012"', "product": 'ixy="0"', "damping": 'damping="0.2"',
          "slide velocity": 'velocity="0.5"', "slide upper": 'upper="0.2"'}
NOT_A_NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?(nan|inf|infinity)(?![A-Za-z_])", re.IGNORECASE)


class LimitsOfZero(HeftTestCase):
    def robot(self, *replaced):
        text = ROBOT
        for old, new in replaced:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        return self.write("robot.urdf", text)

    def assert_error_or_finite(self, *arguments):
        out = self.scratch / "out"
        done = run_heft(*arguments)
        self.assert_no_crash(done.stderr + done.stdout)
        found_errors = arguments[0] == "check" and done.returncode == 1 and not done.stderr
        if done.returncode not in (0, 3, 4, 5) and not found_errors:
            self.assertIn("remedy:", done.stderr)
            return done
        self.assertIsNone(NOT_A_NUMBER.search(done.stdout), done.stdout)
        for path in out.rglob("*") if out.exists() else ():
            if path.suffix in (".csv", ".json", ".urdf", ".yaml"):
                found = NOT_A_NUMBER.search(path.read_text())
                self.assertIsNone(found, f"{path.name}: {found and path.read_text()[max(0, found.start() - 80):found.end()]}")
        return done

    def simulate(self, robot, **more):
        options = {"duration": 1, "held-out": 1, "rate": 100, **more}
        return self.assert_error_or_finite("simulate", "--robot", robot, "--out", self.scratch / "out",
                                           *(f"--{name}={value}" for name, value in options.items()))

    def test_simulate(self):
        for name, written in FIELDS.items():
            for size in SIZES:
                with self.subTest(field=name, size=size):
                    self.simulate(self.robot((written, re.sub('"[^"]*"', f'"{size}"', written))))

    def test_simulate_options(self):
        robot = self.robot()
        for flag in ("duration", "held-out", "rate", "speed", "friction", "torque-noise", "encoder-counts", "perturbation"):
            for size in ("0", "1e-310", "1e-30", "1e30", "1e300", "nan"):
                with self.subTest(flag=flag, size=size):
                    self.simulate(robot, **{flag: size})

    def test_other_commands(self):
        good = self.scratch / "good"
        self.assertEqual(run_heft("simulate", "--robot", self.robot(), "--duration", 2, "--held-out", 1, "--rate", 100,
                                  "--out", good).returncode, 0)
        log, out = good / "train.csv", self.scratch / "out"
        for name, written in FIELDS.items():
            for size in ("0", "1e-320", "1e-30", "1e30", "1e308"):
                robot = self.robot((written, re.sub('"[^"]*"', f'"{size}"', written)))
                out.mkdir(exist_ok=True)
                for command in (["check", robot, "--json", out / "c.json", "--fix", out / "fixed.urdf"],
                                ["check", "--robot", robot, "--log", log, "--json", out / "l.json"],
                                ["observe", robot, "--json", out / "o.json"],
                                ["identify", "--robot", robot, "--log", log, "--out", out / "i"]):
                    with self.subTest(command=command[0], field=name, size=size):
                        self.assert_error_or_finite(*command)

    def test_excite(self):
        for name in ("velocity", "effort", "lower", "mass"):
            for size in ("0", "1e-320", "1e300"):
                with self.subTest(field=name, size=size):
                    written = FIELDS[name]
                    self.assert_error_or_finite(
                        "excite", "--robot", self.robot((written, re.sub('"[^"]*"', f'"{size}"', written))), "--duration", 2,
                        "--rate", 50, "--starts", 1, "--time-budget", 0.2, "--out", self.scratch / "out")

    def test_usual_speed_where_the_limit_is_zero(self):
        done = self.simulate(self.robot(('velocity="3"', 'velocity="0"')))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("turn has the velocity limit 0 rad/s: 1 rad/s is used instead", done.stdout)
        rows = [line.split(",") for line in (self.scratch / "out" / "train.csv").read_text().splitlines()[1:]]
        turn = [float(row[1]) for row in rows]
        self.assertGreater(max(turn) - min(turn), 0.02)
        truth = json.loads((self.scratch / "out" / "truth.json").read_text())["parameters"]
        self.assertTrue(all(math.isfinite(p["value"]) for p in truth.values()))

    def test_joint_that_stands_still_is_named(self):
        done = self.simulate(self.robot(('lower="-2" upper="2"', 'lower="1" upper="1"')))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("turn stays at 1", done.stdout)

    def test_robot_that_stands_still_is_refused(self):
        path = self.robot(('lower="-2" upper="2"', 'lower="0" upper="0"'), ('lower="-0.2" upper="0.2"', 'lower="0" upper="0"'))
        self.assert_refused(["simulate", "--robot", path, "--out", self.scratch / "out"], path, "no joint can move", "ranges")

    def test_inverted_limits_are_refused(self):
        path = self.robot(('lower="-2" upper="2"', 'lower="2" upper="-2"'))
        self.assert_refused(["simulate", "--robot", path, "--out", self.scratch / "out"], path, "above the upper limit",
                            "swap")

    def test_robot_without_mass_is_named(self):
        path = self.write("light.urdf", re.sub(r"(?s)<inertial>.*?</inertial>", "", ROBOT))
        done = self.simulate(path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no moving link has mass", done.stdout)
