"""Several logs of different kinds in one fit: their weights, given and by residuals."""

import json
import math
import random

import walking_robots
from heft_program import ARM, JOINTS, SOURCE, HeftTestCase, ask_peer, run_heft
from schema_walk import wrong_places
from walking_robots import CONFIG, biped_log

PLAIN = """\
conditioning: {filter: none, velocity: logged, trim: 0}
columns: []
estimation: {seek_faults: false, bootstrap: 0, log_weights: %s}
"""


def arm_log(seed, noise, size=0.6, count=400):
    """A log with exact rates of all joints; torques are any smooth functions of the motion, with noise."""
    draw = random.Random(seed)
    waves = [(draw.uniform(0.3, 1) * size, draw.uniform(2, 6), draw.uniform(0, 6)) for _ in JOINTS]
    names = ["t"] + [f"{kind}{k + 1}" for kind in ("q", "qd", "qdd", "tau") for k in range(len(JOINTS))]
    lines = [",".join(names)]
    for i in range(count):
        t = i / 128  # exact in binary
        q = [a * math.sin(w * t + p) for a, w, p in waves]
        qd = [a * w * math.cos(w * t + p) for a, w, p in waves]
        qdd = [-a * w * w * math.sin(w * t + p) for a, w, p in waves]
        tau = [(8 - k) * (math.sin(q[k]) + 0.1 * qdd[k] + 0.02 * qd[k - 1] * qd[k]) + noise * (1 + 0.3 * k) * draw.gauss(0, 1)
               for k in range(len(JOINTS))]
        lines.append(",".join(repr(x) for x in (t, *q, *qd, *qdd, *tau)))
    return "\n".join(lines) + "\n"


class LogWeights(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.logs = [self.write(f"log_{k}.csv", arm_log(k, noise, size)) for k, (noise, size) in enumerate(((0.05, 0.6), (2, 0.3), (0.4, 1)))]
        self.held_out = self.write("held_out.csv", arm_log(2, 0.4, 1))  # within the motions of the fit, whose residual is known best

    def fit(self, config, *more, exit_code=None):
        flags = [flag for log in self.logs[1:] for flag in ("--log", log)]
        return self.identify("--config", self.write("weights.yaml", config), "--validate", self.held_out, *flags, *more, log=self.logs[0],
                             exit_code=exit_code)

    def assert_as_numpy(self, config, kinds, given, residuals):
        result = self.fit(config, "--solver", "ols")
        request = self.write("request.json", json.dumps({"train": list(map(str, self.logs)), "held_out": str(self.held_out), "kinds": kinds,
                                                         "given": given, "residuals": residuals}))
        expected = ask_peer("weighted_fit", ARM, request)
        for kind, weights in zip(result["log_weights"]["kinds"], expected["weights"]):
            for channel, weight in zip(kind["channels"], weights):
                self.assertAlmostEqual(channel["relative"] / weight, 1, delta=1e-9, msg=channel)
        for channel, error in zip(result["validation"]["per_channel"], expected["errors"]):
            self.assertAlmostEqual(channel["rms_error"] / error, 1, delta=1e-9, msg=channel)
        return result

    def test_given_weights_are_those_of_weighted_least_squares(self):
        config = PLAIN % "equal" + "log_kinds: [{kind: quiet, logs: [log_0.csv, log_2.csv], weight: 3}, {kind: loud, logs: [log_1.csv]}]\n"
        result = self.assert_as_numpy(config, [0, 1, 0], [3, 1], False)
        self.assertEqual(result["log_weights"]["from"], "given")
        self.assertEqual([kind["weight"] for kind in result["log_weights"]["kinds"]], [3, 1])

    def test_weights_by_residuals_are_those_of_weighted_least_squares(self):
        result = self.assert_as_numpy(PLAIN % "residuals", [0, 1, 2], [1, 1, 1], True)
        self.assertEqual([kind["kind"] for kind in result["log_weights"]["kinds"]], ["log_0.csv", "log_1.csv", "log_2.csv"])
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "result.schema.json"), [])

    def test_a_short_log_keeps_the_weight_of_its_noise(self):
        """The fit follows 16 samples of large motion closely, which leaves small residuals; other noise, the same variance."""
        self.logs = [self.write("long.csv", arm_log(3, 0.4, 0.05)), self.write("short.csv", arm_log(4, 0.4, 1, 16)), self.logs[2]]
        result = self.assert_as_numpy(PLAIN % "residuals", [0, 1, 2], [1, 1, 1], True)
        long, short, _ = ([channel["relative"] for channel in kind["channels"]] for kind in result["log_weights"]["kinds"])
        self.assertLess(math.prod(b / a for a, b in zip(long, short)) ** (1 / len(long)), 1.5)

    def test_moments_of_equal_weights_serve_options_that_say_so(self):
        """What matters is how logs were weighed, not whether the options say auto or equal."""
        both = self.scratch / "both.heft"
        automatic = self.fit(PLAIN % "auto", "--moments", both)
        for option in ("auto", "equal"):
            done = run_heft("solve", both, "--out", self.scratch / option, "--estimation.log_weights", option)
            self.assertIn(done.returncode, (0, 4), done.stderr)
            solved = json.loads((self.scratch / option / "result.json").read_text())
            self.assertEqual(solved["bodies"], automatic["bodies"])
        self.assert_refused(["solve", both, "--out", self.scratch / "other", "--estimation.log_weights", "residuals"],
                            "estimation.log_weights", "is fixed in the moments", "identify again from the logs")

    def test_a_given_weight_multiplies_that_of_the_residuals(self):
        config = PLAIN % "residuals" + "log_kinds: [{kind: loud, logs: [log_1.csv], weight: 0.25}]\n"
        self.logs = [self.logs[1], self.logs[0], self.logs[2]]
        self.assert_as_numpy(config, [0, 1, 2], [0.25, 1, 1], True)

    def test_equal_logs_keep_their_result(self):
        """Without a weight nothing is read twice or reported."""
        result = self.fit(PLAIN % "auto")
        self.assertNotIn("log_weights", result)
        self.assertNotIn("log_weights", result["provenance"]["options"]["estimation"])
        one = self.fit(PLAIN % "residuals" + "log_kinds: [{kind: all, logs: [log_0.csv, log_1.csv, log_2.csv]}]\n")
        self.assertNotIn("log_weights", one)
        self.assertEqual(one["bodies"], result["bodies"])

    def refused(self, config, where, says, remedy):
        path = self.write("weights.yaml", config)
        self.assert_refused(["identify", "--robot", ARM, "--log", self.logs[0], "--log", self.logs[1], "--config", path, "--out",
                             self.scratch / "result"], where.format(path), says, remedy)

    def test_mistakes_are_named(self):
        head = PLAIN % "auto"
        lines = head.count("\n") + 1
        self.refused(head + "log_kinds: [{kind: a, logs: [log_7.csv]}]\n", "log_kinds", "no log is called 'log_7.csv'", "log_1.csv")
        self.refused(head + "log_kinds: {kind: a}\n", f"{{}}:{lines}", "log_kinds must be a list", "- {kind: hung")
        self.refused(head + "log_kinds: [{kind: a}]\n", f"{{}}:{lines}", "kind 'a' has no logs", "- {kind: hung")
        self.refused(head + "log_kinds: [{kind: a, logs: [x.csv]}, {kind: b, logs: [x.csv]}]\n", f"{{}}:{lines}",
                     "log 'x.csv' belongs to two kinds", "remove it from one of them")
        self.refused(head + "log_kinds: [{kind: a, logs: [x.csv, x.csv]}]\n", f"{{}}:{lines}", "kind 'a' lists log 'x.csv' more than once", "list it once")
        self.refused(head + "log_kinds: [{kind: a, logs: [x.csv], weight: 0}]\n", f"{{}}:{lines}", "must be between 1e-6 and 1e6", "")
        self.refused(head.replace("log_weights: auto", "log_weights: residuals, loss: huber"), "{}:3: estimation.log_weights",
                     "weights of logs cannot be combined with estimation.loss: huber", "set estimation.log_weights: equal")


class WalkingKinds(walking_robots.WalkingRobot):
    def test_a_walking_robot_weighs_its_logs(self):
        """The default: a noisy log counts less than a quiet one, and the mass is as right as by the quiet log alone."""
        draw = random.Random(3)
        header, *rows = biped_log.log(3).splitlines()
        names = header.split(",")
        noisy = []
        for row in rows:
            values = [float(x) + (8 * draw.gauss(0, 1) if name.startswith("tau_") else 0) for name, x in zip(names, row.split(","))]
            noisy.append(",".join(f"{x:.9g}" for x in values))
        loud = self.write("loud.csv", "\n".join([header, *noisy]) + "\n")
        words, result = self.walk(CONFIG, "--log", loud)
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "result.schema.json"), [])
        quiet_kind, loud_kind = result["log_weights"]["kinds"]
        self.assertEqual((quiet_kind["kind"], loud_kind["kind"]), ("train.csv", "loud.csv"))
        for quiet, noisy in zip(quiet_kind["channels"], loud_kind["channels"]):
            if not quiet["channel"].startswith("base_"):
                self.assertGreater(quiet["relative"], 1.5 * noisy["relative"], quiet)
                self.assertGreater(noisy["noise"], quiet["noise"], quiet)
        self.assertIn("weight of squared errors", words)
        _, equal = self.walk(CONFIG + "log_kinds: []\n", "--log", loud, "--estimation.log_weights", "equal")
        self.assertNotIn("log_weights", equal)
        self.assertLess(result["validation"]["overall_relative"], equal["validation"]["overall_relative"])

    def test_contacts_without_sensors_are_weighed_too(self):
        flags = "contacts:\n" + "".join(f"  - {{frame: {side}_foot, type: plane, state: {{force: [{side}_fx, {side}_fy, {side}_fz], threshold: 20}}}}\n"
                                        for side in ("left", "right"))
        second = self.write("second.csv", biped_log.log(3))
        words, result = self.walk(CONFIG[:CONFIG.index("wrenches:")] + flags, "--log", second)
        self.assertIn("weight of squared errors", words)
        for kinds in zip(*(kind["channels"] for kind in result["log_weights"]["kinds"])):
            # equal experiments have equal weights
            self.assertLess(max(kind["relative"] for kind in kinds), 1.5 * min(kind["relative"] for kind in kinds))


class Experiments(HeftTestCase):
    def test_observe_says_what_each_experiment_reveals(self):
        robot = self.write("biped.urdf", biped_log.urdf())
        done = run_heft("observe", "--robot", robot, "--floating", "--json", self.scratch / "observed.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("No experiment determines the mass of trunk alone", done.stdout)
        observed = json.loads((self.scratch / "observed.json").read_text())
        hung, stance, steps = observed["experiments"]
        self.assertEqual([one["experiment"] for one in observed["experiments"]], ["hung", "stance", "steps"])
        self.assertEqual([one["whole_mass"] for one in (hung, stance, steps)], [False, True, True])
        self.assertEqual([one["whole_com"] for one in (hung, stance, steps)], [False, True, True])
        self.assertEqual([one["friction"] for one in (hung, stance, steps)], [True, False, True])
        # the hung robot is the one with a fixed base
        fixed = run_heft("observe", "--robot", robot, "--no-channels", "--json", self.scratch / "fixed.json")
        self.assertEqual(fixed.returncode, 0, fixed.stderr)
        self.assertEqual(hung["num_base"], json.loads((self.scratch / "fixed.json").read_text())["num_base"])
        self.assertEqual(steps["num_base"], observed["num_base"])
        self.assertLess(stance["num_base"], steps["num_base"])
