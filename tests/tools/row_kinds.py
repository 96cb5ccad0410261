"""heft identify --rows, --solver chart:.. and heft predict --external-torque: their results, what they preserve, and their errors."""

import csv
import json
import math

from heft_program import ARM, HeftTestCase, demo_log, run_heft

FLAGS = ["--estimation.bootstrap", 0]
PUSHED, AT = 30.0, (1.5, 1.8)  # [N m] on joint_1, from when to when [s]


def held_out_of(result):
    return result["validation"]["overall_relative"]


def table(path):
    with open(path) as file:
        return [{name: float(field) for name, field in row.items()} for row in csv.DictReader(file)]


class RowKinds(HeftTestCase):
    def test_momentum_and_power_give_the_answer_of_torque_judged_alike(self):
        validate = ["--validate", demo_log("held_out.csv")]
        torque = self.identify(*FLAGS, *validate)
        momentum = self.identify(*FLAGS, *validate, "--rows", "momentum", out="momentum")
        power = self.identify(*FLAGS, *validate, "--rows", "power", out="power")
        self.assertEqual(momentum["status"], "certified")
        self.assertEqual(momentum["provenance"]["options"]["conditioning"]["rows"], "momentum")
        self.assertLess(held_out_of(momentum), 1.05 * held_out_of(torque))
        self.assertNotEqual(held_out_of(momentum), held_out_of(torque))
        self.assertLess(held_out_of(power), 1)  # one row a sample instead of seven, of four seconds
        for result in (momentum, power):
            # the same rows of the same torques
            for ours, theirs in zip(result["validation"]["per_channel"], torque["validation"]["per_channel"]):
                self.assertEqual(ours["rows"], theirs["rows"])
                self.assertEqual(ours["rms_torque"], theirs["rms_torque"])

    def test_logs_are_questioned_alike_whatever_is_summed(self):
        run_heft("simulate", "--robot", ARM, "--duration", 10, "--rate", 250, "--held-out", 4, "--out", self.scratch / "logs")
        log = self.scaled_log(self.scratch / "logs" / "train.csv", "tau_joint_2", 1.2)
        for rows in ("torque", "momentum", "power"):
            done = run_heft("identify", "--robot", ARM, "--log", log, "--validate", self.scratch / "logs" / "held_out.csv", *FLAGS,
                            "--rows", rows, "--out", self.scratch / rows)
            self.assertEqual(done.returncode, 4, done.stderr)
            result = json.loads((self.scratch / rows / "result.json").read_text())
            best = result["hypotheses"][0]
            self.assertEqual((best["id"], best["joint"]), ("torque-scale", "joint_2"), rows)
            self.assertAlmostEqual(best["value"], 1 / 1.2, delta=0.02)
            low, high = result["reference"]["floor_overall_relative"]
            self.assertTrue(0 < low <= high < 0.05, rows)
            self.assertGreater(result["reference"]["urdf_overall_relative"], low)
            self.assertEqual(len(result["reference"]["per_joint"]), 7)

    def test_threads_change_no_bit(self):
        flags = [*FLAGS, "--rows", "momentum"]
        one = self.identify(*flags, "--threads", 1, out="one")
        many = self.identify(*flags, "--threads", 3, out="many")
        self.assertEqual(one["bodies"], many["bodies"])

    def test_moments_keep_what_they_are_of(self):
        files = {}
        for rows in ("torque", "momentum"):
            files[rows] = self.scratch / f"{rows}.heft"
            self.identify(*FLAGS, "--rows", rows, "--moments", files[rows], out=rows)
        done = run_heft("solve", files["momentum"], "--estimation.bootstrap", 0, "--out", self.scratch / "solved", "--quiet")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        solved = json.loads((self.scratch / "solved" / "result.json").read_text())
        self.assertEqual(solved["provenance"]["options"]["conditioning"]["rows"], "momentum")
        direct = json.loads((self.scratch / "momentum" / "result.json").read_text())
        for ours, theirs in zip(solved["bodies"], direct["bodies"]):
            self.assertAlmostEqual(ours["parameters"]["m"], theirs["parameters"]["m"], delta=1e-6)
        # kinds add up, as both are of the same parameters, and it is said
        added = run_heft("moments", *files.values(), "--out", self.scratch / "both.heft")
        self.assertEqual(added.returncode, 0, added.stderr)
        self.assertIn("conditioning.rows", added.stdout + added.stderr)

    def test_refusals(self):
        for flags, word in ((["--rows", "energy"], "torque, momentum, impulse, power, work"),
                            (["--rows", "momentum", "--conditioning.filter", "none"], "filter"),
                            (["--rows", "power", "--estimation.channel_covariance", "full"], "one channel"),
                            (["--rows", "power", "--moments", self.scratch / "m.heft"], "conditioning.rows")):
            done = run_heft("identify", *self.inputs(), *FLAGS, *flags, "--out", self.scratch / "out")
            self.assertEqual(done.returncode, 1, flags)
            self.assertIn(word, done.stderr)

    def inputs(self):
        return ["--robot", ARM, "--log", demo_log("train.csv")]

    def scaled_log(self, path, column, factor):
        with open(path) as file:
            header, *rows = csv.reader(file)
        k = header.index(column)
        for row in rows:
            row[k] = repr(factor * float(row[k]))
        return self.write("scaled.csv", "\n".join(",".join(row) for row in [header, *rows]) + "\n")


class SecondOpinion(HeftTestCase):
    def test_a_chart_is_compared_with_the_certified_answer(self):
        plain = self.identify(*FLAGS)
        self.assertNotIn("second_opinion", plain)
        for chart in ("log_cholesky", "exponential", "exponential_at_prior", "manifold"):
            result = self.identify(*FLAGS, "--solver", f"chart:{chart}", out=chart)
            self.assertEqual(result["status"], "certified")
            self.assertEqual(result["bodies"], plain["bodies"])
            opinion = result["second_opinion"]
            self.assertEqual(opinion["chart"], chart)
            self.assertIn(f"chart:{chart}", [estimate["name"] for estimate in result["estimates"]])
            self.assertEqual(result["estimates"][-1]["name"], "constrained")
            self.assertGreater(opinion["above"], -1e-6)
            self.assertLess(opinion["above"], 0.5)
            if not opinion["reachable"] and chart != "manifold":
                self.assertIn("cannot reach", opinion["verdict"])

    def test_a_firm_prior_keeps_the_optimum_inside_and_charts_find_it(self):
        for chart in ("log_cholesky", "exponential_at_prior", "manifold"):
            result = self.identify(*FLAGS, "--prior-weight", 10, "--solver", f"chart:{chart}", out=chart)
            opinion = result["second_opinion"]
            self.assertTrue(opinion["reachable"], opinion)
            self.assertLess(abs(opinion["above"]), 1e-8, opinion)
            self.assertIn("found the certified optimum", opinion["verdict"])


class OddRobots(HeftTestCase):
    """Robot files whose bodies are bad priors: every kind of rows and every chart has a certified result."""

    CHARTS = ("log_cholesky", "exponential", "exponential_at_prior", "manifold")
    BALL = (1, 0.1, (0.01, 0.01, 0.01))
    BODIES = {  # mass, center of mass along x, diagonal of the tensor about it
        "twelve orders of magnitude": [(1e6, 0.1, (1e4, 1e4, 1e4)), (1e-6, 0.1, (1e-9, 1e-9, 1e-9))],
        "a link without mass": [(2, 0.1, (0.1, 0.1, 0.1)), (0, 0, (0, 0, 0)), BALL],
        "a rod": [(2, 0.1, (0, 0.1, 0.1)), BALL],
        "a point": [(2, 0.1, (0, 0, 0)), BALL],
        "a tensor that no body has": [(2, 0.1, (0.1, 0.1, 0.5)), BALL],
        "a tensor that is negative": [(2, 0.1, (-0.1, 0.1, 0.1)), BALL],
        "nearly equal axes": [(2, 0.1, (0.1, 0.1 + 1e-16, 0.1)), (1, 0.1, (0.01, 0.01 + 1e-12, 0.01))],
    }

    def recorded(self, bodies):
        parts = ['<robot name="odd"><link name="link_0"/>']
        for k, (mass, x, tensor) in enumerate(bodies, 1):
            entries = " ".join(f'{name}="{value!r}"' for name, value in zip(("ixx", "iyy", "izz"), tensor))
            parts.append(
                f'<link name="link_{k}"><inertial><origin xyz="{x} 0 0"/><mass value="{mass!r}"/><inertia {entries} ixy="0" ixz="0" '
                f'iyz="0"/></inertial></link><joint name="joint_{k}" type="revolute"><parent link="link_{k - 1}"/>'
                f'<child link="link_{k}"/><origin xyz="0.3 0 0.1"/><axis xyz="0 {k % 2} {1 - k % 2}"/>'
                '<limit lower="-2" upper="2" velocity="3" effort="1e9"/></joint>')
        robot = self.write("odd.urdf", "".join(parts) + "</robot>")
        done = run_heft("simulate", "--robot", robot, "--duration", 4, "--held-out", 4, "--rate", 250, "--out",
                        self.scratch / "odd")
        self.assertEqual(done.returncode, 0, done.stderr)
        return robot, self.scratch / "odd"

    def test_every_chart_beside_the_certificate(self):
        for name, bodies in self.BODIES.items():
            robot, logs = self.recorded(bodies)
            for chart in self.CHARTS:
                result = self.identify(*FLAGS, "--solver", f"chart:{chart}", robot=robot, log=logs / "train.csv")
                opinion = result["second_opinion"]
                self.assertEqual(result["status"], "certified", name)
                self.assertGreater(opinion["above"], -1e-8, name)
                if opinion["reachable"]:
                    self.assertLess(abs(opinion["above"]), 1e-8, f"{name}: {opinion}")

    def test_every_kind_of_rows(self):
        for name, bodies in self.BODIES.items():
            robot, logs = self.recorded(bodies)
            errors = {}
            for rows in ("torque", "momentum", "impulse", "power", "work"):
                result = self.identify(*FLAGS, "--rows", rows, "--validate", logs / "held_out.csv", robot=robot,
                                       log=logs / "train.csv")
                self.assertEqual(result["status"], "certified", f"{name}, {rows}")
                errors[rows] = held_out_of(result)
            for rows in ("momentum", "impulse"):
                self.assertLess(errors[rows], 1.2 * errors["torque"], f"{name}: {errors}")
            for rows in ("power", "work"):  # one row a sample
                self.assertLess(errors[rows], 4 * errors["torque"], f"{name}: {errors}")


class OddProblems(HeftTestCase):
    def refuse(self, where, says, remedy, *flags, log=None):
        self.assert_refused(["identify", "--robot", ARM, "--log", log or demo_log("train.csv"), *FLAGS, "--quiet", "--out",
                             self.scratch / "out", *flags], where, says, remedy)

    def test_a_chart_that_there_is_not(self):
        for name in ("chart:", "chart", "chart:log_choleski", "chart:log_cholesky,manifold"):
            self.refuse("--estimation.solver", "unknown choice", "chart:log_cholesky", "--solver", name)

    def test_problems_that_no_chart_takes(self):
        for flags, says in ((["--estimation.prior", "entropic"], "one other than the metric prior"),
                            (["--estimation.prior", "none"], "one other than the metric prior"),
                            (["--estimation.prior", "euclidean"], "one other than the metric prior"),
                            (["--prior-weight", "1e-300"], "the prior weight is so small"),
                            (["--estimation.bounding_ellipsoids", "collision"], "parameters are bounded"),
                            (["--estimation.consistency", "semi"], "bodies are not required to be physically consistent")):
            for chart in ("log_cholesky", "manifold"):
                self.refuse("estimation.solver: chart", says, "use another solver, such as auto", "--solver", f"chart:{chart}",
                            *flags)

    def test_a_robot_that_stands_has_no_power(self):
        header = demo_log("train.csv").read_text().splitlines()[0].split(",")
        still = [",".join(header)] + [",".join([repr(0.004 * k)] + ["0.5" if name.startswith("q_") else "1.0" for name in header[1:]])
                                      for k in range(1000)]
        log = self.write("still.csv", "\n".join(still) + "\n")
        for rows in ("power", "work"):
            self.refuse(log, f"rows of {rows} need motion, but no joint moves", "set conditioning.rows to torque", "--rows", rows, log=log)


class ExternalTorque(HeftTestCase):
    def pushed_log(self):
        """The held-out log with an external torque on joint_1, which the motor need not provide."""
        with open(demo_log("held_out.csv")) as file:
            header, *rows = csv.reader(file)
        t, tau = header.index("t"), header.index("tau_joint_1")
        for row in rows:
            if AT[0] <= float(row[t]) < AT[1]:
                row[tau] = repr(float(row[tau]) - PUSHED)
        return self.write("pushed.csv", "\n".join(",".join(row) for row in [header, *rows]) + "\n")

    def predict(self, log, *flags):
        out = self.scratch / "predicted.csv"
        done = run_heft("predict", "--model", self.scratch / "model", "--log", log, "--out", out, *flags)
        self.assert_done(done)
        return table(out), done.stdout

    def test_a_push_is_seen_where_it_is_and_nowhere_else(self):
        self.identify(*FLAGS, "--validate", demo_log("held_out.csv"), out="model")
        for flag, early in (("--external-torque", 0.0), ("--external-torque=zero_phase", 0.25)):
            rows, said = self.predict(self.pushed_log(), flag)
            alarms = [row["t"] for row in rows if row["alarm"] == 1]
            self.assertTrue(alarms, flag)
            self.assertGreaterEqual(alarms[0], AT[0] - early, flag)  # nothing before it, to the causal one
            self.assertLess(alarms[0], AT[0] + 0.05, flag)
            self.assertLess(alarms[-1], AT[1] + 0.3, flag)
            self.assertIn("alarms: 1", said)
            middle = [row["external_joint_1"] for row in rows if AT[0] + 0.12 < row["t"] < AT[1] - 0.12]
            self.assertLess(abs(sum(middle) / len(middle) - PUSHED), 0.1 * PUSHED, flag)
            for k in range(2, 8):
                known = [row[f"external_joint_{k}"] for row in rows if math.isfinite(row[f"external_joint_{k}"])]
                self.assertGreater(len(known), len(rows) / 2)
        rows, said = self.predict(demo_log("held_out.csv"), "--external-torque")
        self.assertEqual(sum(row["alarm"] for row in rows), 0)
        self.assertIn("alarms: 0", said)

    def test_the_other_columns_stay_and_a_causal_observer_knows_no_future(self):
        self.identify(*FLAGS, "--validate", demo_log("held_out.csv"), out="model")
        plain, _ = self.predict(self.pushed_log())
        causal, _ = self.predict(self.pushed_log(), "--external-torque")
        untouched, _ = self.predict(demo_log("held_out.csv"), "--external-torque")
        for before, after, other in zip(plain, causal, untouched):
            for name, value in before.items():
                self.assertTrue(after[name] == value or math.isnan(value))
            if after["t"] < AT[0]:
                self.assertEqual(repr(after["external_joint_1"]), repr(other["external_joint_1"]))  # nan, too

    def test_where_a_torque_is_missing_nothing_is_said_of_it(self):
        self.identify(*FLAGS, "--validate", demo_log("held_out.csv"), out="model")
        with open(demo_log("held_out.csv")) as file:
            header, *rows = csv.reader(file)
        t, tau = header.index("t"), header.index("tau_joint_2")
        for row in rows:
            if AT[0] <= float(row[t]) < AT[1]:
                row[tau] = "nan"
        log = self.write("missing.csv", "\n".join(",".join(row) for row in [header, *rows]) + "\n")
        whole, _ = self.predict(demo_log("held_out.csv"), "--external-torque")
        for flag in ("--external-torque", "--external-torque=zero_phase"):
            holed, said = self.predict(log, flag)
            self.assertRegex(said, r"torque of joint_2 is unknown \(nan\) in \d+ more rows, where its torque is missing")
            self.assertEqual(sum(row["alarm"] for row in holed), 0)
            for row in holed:
                if AT[0] <= row["t"] - 0.002 < AT[1]:
                    self.assertTrue(math.isnan(row["external_joint_2"]), row["t"])
            self.assertTrue(any(math.isfinite(row["external_joint_2"]) for row in holed if row["t"] > AT[1]))
            if flag == "--external-torque":  # of the others what it was
                for row, other in zip(holed, whole):
                    self.assertEqual(repr(row["external_joint_3"]), repr(other["external_joint_3"]))

    def test_refusals(self):
        self.identify(*FLAGS, out="model")
        for flags, word in ((["--external-torque=later"], "causal or zero_phase"),
                            (["--external-torque", "--observer-hz", "0"], "--observer-hz"),
                            (["--external-torque", "--observer-hz", "400"], "half the rate of the log, 250 Hz"),
                            (["--external-torque", "--threshold", "-1"], "--threshold"),
                            (["--external-torque", "--threshold", "nan"], "not a finite number above zero"),
                            (["--external-torque", "--observer-hz", "inf"], "not a finite number above zero"),
                            (["--external-torque", "--observer-hz", "1e-9"], "needs 2e+09 s to settle"),
                            (["--observer-hz", "9"], "add --external-torque"),
                            (["--threshold", "9"], "add --external-torque"),
                            (["--external-torque=zero_phase", "--observer-hz", "9"], "causal observer")):
            done = run_heft("predict", "--model", self.scratch / "model", "--log", demo_log("held_out.csv"), "--out",
                            self.scratch / "x.csv", *flags)
            self.assertEqual(done.returncode, 1, flags)
            self.assertIn(word, done.stderr)
            self.assertFalse((self.scratch / "x.csv").exists())

    def scaled_torque(self, factor):
        with open(demo_log("held_out.csv")) as file:
            header, *rows = csv.reader(file)
        for row in rows:
            for k, name in enumerate(header):
                if name.startswith("tau_"):
                    row[k] = repr(factor * float(row[k]))
        return self.write("scaled.csv", "\n".join(",".join(row) for row in [header, *rows]) + "\n")

    def test_what_acts_all_the_time_raises_no_alarm_and_it_is_said(self):
        self.identify(*FLAGS, out="model")
        _, said = self.predict(demo_log("held_out.csv"), "--external-torque")
        self.assertNotIn("threshold of", said)
        for factor in (2, 1e12):
            rows, said = self.predict(self.scaled_torque(factor), "--external-torque")
            self.assertEqual(sum(row["alarm"] for row in rows), 0)
            self.assertRegex(said, r"threshold of joint_1: from the residual of this log, \S+ times that of the identification")

    def test_torques_whose_squares_overflow(self):
        self.identify(*FLAGS, out="model")
        log = self.scaled_torque(1e300)
        for flags in ([], ["--external-torque"], ["--external-torque=zero_phase"]):
            self.assert_refused(["predict", "--model", self.scratch / "model", "--log", log, "--out", self.scratch / "x.csv", *flags],
                                log, "squares overflow", "units")
