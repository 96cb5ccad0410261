"""Logs of `heft simulate`: reproducible, as requested, and consistent with their ground truth."""

import json
import math
import pathlib

from heft_program import ARM, JOINTS, SOURCE, HeftTestCase, run_heft
from schema_walk import wrong_places


class Simulation(HeftTestCase):
    def simulate(self, *arguments, out="demo"):
        folder = self.scratch / out
        length = [] if "--duration" in arguments else ["--duration", 2, "--held-out", 2, "--rate", 250]
        done = run_heft("simulate", "--robot", ARM, *length, "--out", folder, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def test_same_seed_same_bytes(self):
        first = self.simulate("--seed", 7)
        self.assertEqual(set(first), {"train.csv", "held_out.csv", "truth.json"})
        self.assertEqual(first, self.simulate("--seed", 7, out="again"))

    def test_other_seed_other_robot(self):
        first, other = self.simulate("--seed", 7), self.simulate("--seed", 8, out="other")
        self.assertNotEqual(first["truth.json"], other["truth.json"])
        self.assertNotEqual(first["train.csv"], other["train.csv"])

    def test_other_trajectory_same_robot(self):
        first, other = self.simulate(), self.simulate("--trajectory-seed", 5, out="other")
        self.assertEqual(first["truth.json"], other["truth.json"])
        self.assertNotEqual(first["train.csv"], other["train.csv"])

    def test_held_out_motion_is_another(self):
        """Different beyond noise: at any delay its positions are nearly uncorrelated with the training log's."""
        files = self.simulate("--torque-noise", 0, "--encoder-counts", 0, "--duration", 10, "--held-out", 10, "--rate", 100)
        motions = []
        for name in ("train.csv", "held_out.csv"):
            rows = [[float(x) for x in line.split(",")] for line in files[name].decode().splitlines()[1:]]
            motions.append([[row[1 + j] for row in rows] for j in range(len(JOINTS))])
        train, held_out = motions
        for j, joint in enumerate(JOINTS):
            spread = max(train[j]) - min(train[j])
            self.assertGreater(max(held_out[j]) - min(held_out[j]), 0.2 * spread, f"{joint} hardly moves")
            apart = [abs(a - b) for a, b in zip(train[j], held_out[j])]
            self.assertGreater(sum(apart) / len(apart), 0.05 * spread, joint)
        # no delay makes one of the other: a whole period is in either log
        n = len(train[0])
        for delay in range(0, n, 5):
            apart = sum(abs(train[j][(k + delay) % n] - held_out[j][k]) for j in range(len(JOINTS)) for k in range(0, n, 7))
            spread = sum(max(train[j]) - min(train[j]) for j in range(len(JOINTS)))
            self.assertGreater(apart / len(range(0, n, 7)), 0.1 * spread, f"delayed by {delay} samples")

    def exact(self, *arguments, out="demo"):
        """Columns of a training log without noise."""
        text = self.simulate("--torque-noise", 0, "--encoder-counts", 0, *arguments, out=out)["train.csv"].decode()
        names, *rows = (line.split(",") for line in text.splitlines())
        return {name: [float(row[k]) for row in rows] for k, name in enumerate(names)}

    def test_a_drive_with_a_low_pass(self):
        plain, slow = self.exact(), self.exact("--torque-lowpass", 5, out="slow")
        share = 1 - math.exp(-2 * math.pi * 5 / 250)
        for joint in JOINTS:
            at = plain[f"tau_{joint}"][0]
            for torque, logged in zip(plain[f"tau_{joint}"], slow[f"tau_{joint}"]):
                at += share * (torque - at)
                self.assertAlmostEqual(logged, at, delta=2e-6 * max(map(abs, plain[f"tau_{joint}"])))
            self.assertEqual(plain[f"q_{joint}"], slow[f"q_{joint}"])

    def test_backlash_is_half_ahead_of_the_torque(self):
        plain, loose = self.exact(), self.exact("--backlash", 0.02, out="loose")
        for joint in JOINTS:
            for q, read, torque in zip(plain[f"q_{joint}"], loose[f"q_{joint}"], plain[f"tau_{joint}"]):
                self.assertAlmostEqual(read, q + math.copysign(0.01, torque), delta=1e-7)
            self.assertEqual(plain[f"tau_{joint}"], loose[f"tau_{joint}"])

    def test_friction_that_drifts(self):
        """What a log with all friction has more than one without, times the share that is left."""
        plain, drifted, smooth = (self.exact(*flags, out=name) for name, flags in
                                  (("all", ()), ("drifted", ("--friction-drift", 0.5)), ("smooth", ("--friction", 0))))
        for joint in JOINTS:
            name = f"tau_{joint}"
            size = max(map(abs, plain[name]))
            for t, whole, left, none in zip(plain["t"], plain[name], drifted[name], smooth[name]):
                self.assertAlmostEqual(left - none, (1 - 0.5 * t / 2) * (whole - none), delta=3e-6 * size)

    def test_header_length_and_rate(self):
        lines = self.simulate()["train.csv"].decode().splitlines()
        self.assertEqual(lines[0].split(","), ["t", *(f"q_{j}" for j in JOINTS), *(f"tau_{j}" for j in JOINTS)])
        times = [float(line.split(",")[0]) for line in lines[1:]]
        self.assertEqual(len(times), 2 * 250 + 1)
        for i, time in enumerate(times):
            self.assertAlmostEqual(time, i / 250, places=9)

    def test_positions_stay_within_the_limits(self):
        limits = [(-2.8, 2.8), (-1.9, 1.9), (-2.8, 2.8), (-2.4, 1.2), (-2.8, 2.8), (-1.8, 2.2), (-2.9, 2.9)]
        for line in self.simulate("--speed", 1)["train.csv"].decode().splitlines()[1:]:
            for position, (lower, upper) in zip(line.split(",")[1:8], limits):
                self.assertTrue(lower <= float(position) <= upper)

    def test_encoder_steps(self):
        step = 2 * math.pi / 4096
        for line in self.simulate("--encoder-counts", 4096)["train.csv"].decode().splitlines()[1:]:
            for position in map(float, line.split(",")[1:8]):
                self.assertAlmostEqual(position / step, round(position / step), delta=1e-8 / step)

    def test_bad_options(self):
        for flag, value, where in (("--rate", "nan", "simulate"), ("--rate", "-1", "simulate"),
                                   ("--duration", "0", "simulate"), ("--duration", "1e15", "simulate"),
                                   ("--held-out", "0", "simulate"), ("--held-out", "nan", "simulate"),
                                   ("--speed", "0", "--speed"), ("--speed", "nan", "--speed"),
                                   ("--torque-noise", "nan", "--torque-noise"),
                                   ("--torque-noise", "-1", "--torque-noise"),
                                   ("--encoder-counts", "nan", "--encoder-counts"),
                                   ("--torque-lowpass", "-1", "--torque-lowpass"),
                                   ("--backlash", "nan", "--backlash"),
                                   ("--friction-drift", "2", "--friction-drift"),
                                   ("--perturbation", "nan", "--perturbation"),
                                   ("--friction", "inf", "--friction")):
            self.assert_refused(["simulate", "--robot", ARM, "--out", self.scratch / "out", flag, value], where, "")

    def test_bad_seeds(self):
        for seed in ("-1", "x", "1.5"):
            self.assert_wrong_command_line(["simulate", "--robot", ARM, "--out", self.scratch / "out", "--seed", seed],
                                           "--seed")


class Truth(HeftTestCase):
    """Without perturbation, noise or encoder steps the URDF itself is the truth."""

    def setUp(self):
        super().setUp()
        self.folder = self.scratch / "exact"
        done = run_heft("simulate", "--robot", ARM, "--duration", 10, "--held-out", 5, "--rate", 1000, "--perturbation",
                        0, "--torque-noise", 0, "--encoder-counts", 0, "--out", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.truth = {name: entry["value"]
                      for name, entry in json.loads((self.folder / "truth.json").read_text())["parameters"].items()}

    def identified(self):
        # no filter: it would bend the kinks of friction. Hardly a ridge: it draws friction towards zero by up to
        # 1e-3 of itself, which data without noise cannot bear
        return self.identify("--validate", self.folder / "held_out.csv", "--conditioning.filter", "none",
                             "--estimation.column_ridge", "1e-7", log=self.folder / "train.csv")

    def test_truth_is_the_urdf(self):
        for name, mass in (("shoulder", 4.2), ("elbow", 2.5), ("flange", 0.5 + 0.8)):
            self.assertAlmostEqual(self.truth[f"{name}.m"], mass, places=12)

    def test_identified_torque_is_the_true_torque(self):
        result = self.identified()
        # at 1 kHz, central differences of a motion of w = 10 rad/s are wrong by (w h)^2 / 6 = 2e-5
        self.assertLess(result["validation"]["overall_relative"], 5e-5)

    def test_identified_parameters_are_the_true_ones(self):
        result = self.identified()
        for body in result["bodies"]:
            self.assertAlmostEqual(body["parameters"]["m"], self.truth[f"{body['name']}.m"],
                                   delta=1e-3 * self.truth[f"{body['name']}.m"])
        for column in result["columns"]:
            if column["kind"] != "offset":
                self.assertAlmostEqual(column["value"], self.truth[column["name"]],
                                       delta=1e-3 * self.truth[column["name"]], msg=column["name"])

    def test_distance_is_printed(self):
        done = run_heft("identify", "--robot", ARM, "--log", self.folder / "train.csv", "--truth",
                        self.folder / "truth.json", "--quiet", "--out", pathlib.Path(self.scratch) / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        distance = float(done.stdout.split("constrained ")[1].split(" %")[0])
        self.assertLess(distance, 1.0)  # per cent


class Sensor(HeftTestCase):
    """Everything beyond a force-torque sensor becomes a body of its own, and all its parameters are identifiable."""

    def simulate(self, *arguments):
        folder = self.scratch / "sensor"
        done = run_heft("simulate", "--robot", ARM, "--duration", 10, "--held-out", 5, "--perturbation", 0.2,
                        "--torque-noise", 0, "--encoder-counts", 0, "--sensor", "gripper", "--out", folder, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def test_every_parameter_of_the_gripper(self):
        folder = self.simulate()
        header = (folder / "train.csv").read_text().splitlines()[0].split(",")
        self.assertEqual(header[-6:], [f"tau_gripper_{axis}" for axis in ("fx", "fy", "fz", "nx", "ny", "nz")])
        config = self.write("sensor.yaml", "sensors: {gripper: {link: gripper}}\n")
        # hardly a prior, which pulls little on what the sensor sees; what it does not see would stay at the file's, far from the
        # truth, at any weight. Without noise the residual is 1e-10 of the torques' sum of squares, whose last digit is then 1e-6 of
        # the residual: with less of a prior no gap of doubles is smaller
        result = self.identify("--config", config, "--validate", folder / "held_out.csv", "--conditioning.filter", "none",
                               "--estimation.prior_weight", "1e-6", "--estimation.column_ridge", "1e-7",
                               "--estimation.gap_tolerance", "1e-6", log=folder / "train.csv")
        truth = {name: entry["value"]
                 for name, entry in json.loads((folder / "truth.json").read_text())["parameters"].items()}
        gripper = next(body for body in result["bodies"] if body["name"] == "gripper")
        for name, value in gripper["parameters"].items():
            # central differences at 1 kHz; moments of inertia of 1e-3 kg m^2
            self.assertAlmostEqual(value, truth[f"gripper.{name}"], delta=1e-4 * max(abs(truth["gripper.m"]), 1))
        self.assertEqual([c["unit"] for c in result["validation"]["per_channel"]][-6:], ["N"] * 3 + ["N m"] * 3)
        self.assertLess(result["validation"]["overall_relative"], 1e-4)

    def test_no_such_link(self):
        self.assert_refused(["simulate", "--robot", ARM, "--out", self.scratch / "out", "--sensor", "griper"],
                            ARM, "unknown link 'griper'", "did you mean 'gripper'?")

    def test_moments_keep_their_sensors(self):
        folder = self.simulate()
        config = self.write("sensor.yaml", "conditioning: {lowpass_hz: 12}\nsensors: {gripper: {link: gripper}}\n")
        moments = self.scratch / "sums.heft"
        first = self.identify("--config", config, "--moments", moments, log=folder / "train.csv")
        self.assertEqual(wrong_places(first, SOURCE / "tools" / "result.schema.json"), [])
        other = self.write("other.yaml", "estimation: {bootstrap: 0}\nsensors: {gripper: {link: gripper, sign: -1}}\n")
        done = run_heft("solve", moments, "--config", other, "--out", self.scratch / "solved")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sensors: ", done.stderr)
        self.assertIn("has no effect here", done.stderr)
        solved = json.loads((self.scratch / "solved" / "result.json").read_text())
        options = solved["provenance"]["options"]
        self.assertEqual(options["sensors"], first["provenance"]["options"]["sensors"])
        self.assertEqual(options["conditioning"]["lowpass_hz"], 12)
        self.assertEqual(options["estimation"]["bootstrap"], 0)
        errors = []
        for result in ("result", "solved"):
            done = run_heft("predict", "--model", self.scratch / result, "--log", folder / "held_out.csv", "--out",
                            self.scratch / f"{result}.csv")
            self.assert_done(done)
            errors.append((self.scratch / f"{result}.csv").read_text())
        self.assertEqual(errors[0].splitlines()[0], errors[1].splitlines()[0])
