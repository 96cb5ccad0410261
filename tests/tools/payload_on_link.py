"""heft payload with a sensor on a link of a robot: its motion from the robot's coordinates, its wrench by Pinocchio."""

import functools
import json
import math
import random
import subprocess

from heft_program import ARM, JOINTS, PROGRAM, HeftTestCase, ask_peer, run_heft

LINK = "gripper"
# m, h, I about the link's origin of 1.5 kg at (20, -10, 90) mm whose tensor about the center of mass is diag(4, 6, 3) g m^2
MASS, COM = 1.5, (0.02, -0.01, 0.09)
TENSOR = (4e-3, 6e-3, 3e-3)
WRENCH = ["fx", "fy", "fz", "nx", "ny", "nz"]
BIAS = (3.0, -2.0, 5.0, 0.1, -0.2, 0.3)


def parameters():
    x, y, z = COM
    about = [[y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
    I = [[MASS * about[i][j] + (TENSOR[i] if i == j else 0) for j in range(3)] for i in range(3)]
    return [MASS, *(MASS * c for c in COM), I[0][0], I[0][1], I[1][1], I[0][2], I[1][2], I[2][2]]


@functools.lru_cache(maxsize=None)
def motion(seconds, rate):
    return ask_peer("sensor", ARM, LINK, json.dumps(parameters()), seconds, rate)


class PayloadOnLink(HeftTestCase):
    def log(self, name="log.csv", seconds=6, rate=200, noise=0.0, degrees=False, change=lambda wrench: wrench):
        """The arm waves with the payload; `change` is what the sensor makes of the wrench."""
        rows, rng = motion(seconds, rate), random.Random(1)
        unit = 180 / math.pi if degrees else 1.0
        lines = [",".join(["t", *(f"q_{joint}" for joint in JOINTS), *WRENCH])]
        for k, (q, wrench) in enumerate(zip(rows["q"], rows["wrench"])):
            felt = [w + b + rng.gauss(0, noise * (1 if c < 3 else 0.05)) for c, (w, b) in enumerate(zip(change(wrench), BIAS))]
            numbers = [k / rate] + [unit * (x + rng.gauss(0, noise * 1e-4)) for x in q] + felt
            lines.append(",".join(f"{x:.12g}" for x in numbers))
        return self.write(name, "\n".join(lines) + "\n")

    def weigh(self, log, *arguments, exit_code=0):
        done = run_heft("payload", "--log", log, "--robot", ARM, "--sensor-link", LINK, "--out", self.scratch / "out", *arguments)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return json.loads((self.scratch / "out" / "result.json").read_text())

    def assert_weighed(self, result, mass=2e-3, com=1e-3, tensor=None):
        payload = result["payload"]
        self.assertAlmostEqual(payload["mass"] / MASS, 1, delta=mass)
        for found, expected in zip(payload["com"], COM):
            self.assertAlmostEqual(found, expected, delta=com)
        if tensor:
            Ixx, _, Iyy, _, _, Izz = payload["inertia_com"]
            for found, expected in zip((Ixx, Iyy, Izz), TENSOR):
                self.assertAlmostEqual(found / expected, 1, delta=tensor)

    def test_motion_comes_from_the_coordinates(self):
        exact = self.weigh(self.log())
        self.assert_weighed(exact, 2e-4, 2e-4, tensor=0.03)
        for bias, expected in zip(exact["payload"]["bias"], BIAS):
            self.assertAlmostEqual(bias, expected, delta=0.02)
        noisy = self.weigh(self.log(noise=0.1))
        self.assert_weighed(noisy)
        low, high = noisy["payload"]["intervals"]["mass"]
        self.assertTrue(low <= MASS <= high, (low, high))
        self.assertEqual(noisy["verdict"]["level"], "green")

    def test_coordinates_and_wrench_may_have_rates_of_their_own(self):
        """One of both in every fourth row: 50 Hz beside 200 Hz."""
        header, *rows = self.log().read_text().splitlines()
        q, wrench = range(1, 1 + len(JOINTS)), range(1 + len(JOINTS), 7 + len(JOINTS))
        for what, seldom in (("wrench", wrench), ("q", q)):
            lines = [header]
            for k, row in enumerate(rows):
                cells = row.split(",")
                lines.append(",".join("nan" if k % 4 and c in seldom else cell for c, cell in enumerate(cells)))
            with self.subTest(what):
                result = self.weigh(self.write("two.csv", "\n".join(lines) + "\n"))
                self.assert_weighed(result, 1e-3, 1e-3)
                self.assertLess(result["logs"][0]["dropped"], 5)

    def test_poses_at_rest(self):
        """Rows four seconds apart, or without times."""
        still = ask_peer("sensor", ARM, LINK, json.dumps(parameters()), 60, 0.25, "still")
        for time in (["t"], []):
            lines = [",".join([*time, *(f"q_{joint}" for joint in JOINTS), *WRENCH])]
            for k, (q, wrench) in enumerate(zip(still["q"], still["wrench"])):
                lines.append(",".join(f"{x:.12g}" for x in [4.0 * k] * len(time) + q + [w + b for w, b in zip(wrench, BIAS)]))
            result = self.weigh(self.write("poses.csv", "\n".join(lines) + "\n"))
            self.assert_weighed(result, 1e-6, 1e-6)
            self.assertEqual([doubt["id"] for doubt in result["doubts"]], ["tensor-at-rest"])

    def test_configuration_of_the_robot_and_of_the_sensor(self):
        header, *rows = self.log(degrees=True, change=lambda wrench: [-w for w in wrench]).read_text().splitlines()
        self.assertEqual(header.split(",")[0], "t")
        rows = [f"{1000 * float(row.split(',', 1)[0])!r},{row.split(',', 1)[1]}" for row in rows]
        log = self.write("milliseconds.csv", "\n".join([header, *rows]) + "\n")
        both = self.write("both.yaml", "log: {angle_unit: deg, time_unit: ms}\nconditioning: {lowpass_hz: 12}\npayload: {sign: -1}\n")
        self.assert_weighed(self.weigh(log, "--config", both), tensor=0.05)
        wrong = self.write("wrong.yaml", "log: {angle_unit: deg}\nconditionning: {lowpass_hz: 12}\n")
        self.assert_refused(["payload", "--log", log, "--robot", ARM, "--sensor-link", LINK, "--out", self.scratch / "no", "--config",
                             wrong], f"{wrong}:2", "conditionning", "conditioning")

    def test_a_sensor_mounted_on_the_link(self):
        """The flange carries the gripper 90 mm away, rotated by 45 degrees about z: with its mounting the body is the same."""
        quarter = self.write("mounted.yaml", f"payload: {{mounting: [0, 0, 0.09, 0, 0, {math.pi / 4}]}}\n")
        done = run_heft("payload", "--log", self.log(), "--robot", ARM, "--sensor-link", "flange", "--config", quarter, "--out",
                        self.scratch / "mounted")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_weighed(json.loads((self.scratch / "mounted" / "result.json").read_text()), 2e-4, 2e-4)
        # without it the force is turned against the motion, and the mounting is proposed
        done = run_heft("payload", "--log", self.log(), "--robot", ARM, "--sensor-link", "flange", "--out", self.scratch / "turned")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("rotated by 45", done.stdout)
        self.assertRegex(done.stdout, r"0\.7[89]\d*\]")

    def follow(self, log, *arguments):
        return subprocess.run([PROGRAM, "payload", "--follow", "--robot", ARM, "--sensor-link", LINK, *map(str, arguments)],
                              input=log.read_text(), capture_output=True, text=True, timeout=240)

    def test_a_stream_of_coordinates(self):
        log = self.log(noise=0.1)
        done = self.follow(log, "--every", 0.1, "--out", self.scratch / "followed")
        self.assertEqual(done.returncode, 0, done.stderr)
        updates = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertGreater(len(updates), 45)
        late = [update for update in updates if update["t"] > 2]
        self.assertTrue(all(update["certified"] for update in late))
        held = sum(update["interval"]["mass"][0] <= MASS <= update["interval"]["mass"][1] for update in late)
        self.assertGreater(held, 0.8 * len(late))
        # half a window of 0.17 s behind the newest line
        self.assertTrue(5.85 < updates[-1]["t"] < 6, updates[-1]["t"])
        self.assert_weighed({"payload": updates[-1]}, 5e-3, 2e-3)
        # the files are those of the log
        followed = json.loads((self.scratch / "followed" / "result.json").read_text())
        self.assertEqual(followed["payload"], self.weigh(log)["payload"])

    def test_a_stream_of_coordinates_has_the_sign_and_the_unit_of_its_configuration(self):
        header, *rows = self.log(degrees=True, change=lambda wrench: [-w for w in wrench]).read_text().splitlines()
        self.assertEqual(header.split(",")[0], "t")
        rows = [f"{1000 * float(row.split(',', 1)[0])!r},{row.split(',', 1)[1]}" for row in rows]
        log = self.write("milliseconds.csv", "\n".join([header, *rows]) + "\n")
        both = self.write("both.yaml", "log: {angle_unit: deg, time_unit: ms}\nconditioning: {filter: savitzky_golay, savgol_window: 15}\npayload: {sign: -1}\n")
        done = self.follow(log, "--config", both)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_weighed({"payload": json.loads(done.stdout.splitlines()[-1])}, 2e-3, 1e-3)

    def test_streams_of_coordinates_that_are_none(self):
        lines = self.log(seconds=1).read_text().splitlines()
        back = lines[:60] + [lines[40]] + lines[60:]
        for text, says in (("t,q_joint_1,fx,fy,fz,nx,ny,nz\n", "q_joint_2"), ("\n".join(back), "standard input:61"),
                           ("\n".join([lines[0].replace("nz", "mz"), *lines[1:]]), "nz")):
            with self.subTest(says):
                done = self.follow(self.write("stream.csv", text))
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(says, done.stderr)
                self.assertIn("remedy: ", done.stderr)

    def test_what_cannot_be_is_refused(self):
        log, out = self.log(seconds=2), self.scratch / "no"
        for arguments, where, says, remedy in (
                (["--robot", ARM, "--sensor-link", "griper"], "--sensor-link griper", "not a link", "gripper"),
                (["--robot", ARM], "--sensor-link", "is missing", "--robot"),
                (["--sensor-link", LINK], "--robot", "is missing", "--sensor-link"),
                (["--robot", ARM, "--sensor-link", LINK, "--model", "m", "--link", LINK], "--robot", "cannot be combined", "--model")):
            with self.subTest(says):
                self.assert_refused(["payload", "--log", log, *arguments, "--out", out], where, says, remedy)
        lacking = self.write("lacking.csv", "t,q_joint_1,fx,fy,fz,nx,ny,nz\n0,0,0,0,0,0,0,0\n1,0,0,0,0,0,0,0\n")
        self.assert_refused(["payload", "--log", lacking, "--robot", ARM, "--sensor-link", LINK, "--out", out], f"{lacking}:1",
                            "q_joint_2")
