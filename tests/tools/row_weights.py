"""heft identify with rows that are filtered, weighted by their residuals or whitened: its benefits and requirements."""

import csv
import random

from heft_program import ARM, HeftTestCase, demo_log, run_heft

OUTLIERS = 0.02  # share of the samples
FLAGS = ["--lowpass", 60, "--conditioning.trim", 30, "--estimation.bootstrap", 0]


def with_outliers(path, seed):
    """The demo log as a text, with bursts of torque in one direction: a sensor that is touched now and then."""
    with open(path) as file:
        header, *rows = csv.reader(file)
    num_joints = (len(header) - 1) // 2
    rows = [[float(field) for field in row] for row in rows]
    largest = [max(abs(row[1 + num_joints + k]) for row in rows) for k in range(num_joints)]
    draw = random.Random(seed)
    burst = 10
    for _ in range(round(OUTLIERS * len(rows) / burst)):
        first = draw.randrange(len(rows) - burst)
        for row in rows[first:first + burst]:
            for k in range(num_joints):
                row[1 + num_joints + k] += 3 * largest[k]
    return "\n".join([",".join(header)] + [",".join(f"{x:.12g}" for x in row) for row in rows]) + "\n"


def held_out_of(result):
    return result["validation"]["overall_relative"]


class RowWeights(HeftTestCase):
    def test_huber_weights_forget_outliers_that_least_squares_learns(self):
        dirty = self.write("dirty.csv", with_outliers(demo_log("train.csv"), seed=1))
        validate = ["--validate", demo_log("held_out.csv")]
        clean = held_out_of(self.identify(*FLAGS, *validate))
        squares = held_out_of(self.identify(*FLAGS, *validate, log=dirty))
        robust = self.identify(*FLAGS, *validate, "--estimation.loss", "huber", log=dirty)
        self.assertEqual(robust["status"], "certified")
        self.assertGreater(squares, 4 * clean)
        self.assertLess(held_out_of(robust), 1.5 * clean)
        # where nothing is wrong they cost next to nothing
        unneeded = held_out_of(self.identify(*FLAGS, *validate, "--estimation.loss", "huber"))
        self.assertLess(unneeded, 1.1 * clean)

    def test_the_covariance_of_the_channels_is_certified_and_does_no_harm(self):
        validate = ["--validate", demo_log("held_out.csv")]
        plain = self.identify(*FLAGS, *validate)
        whitened = self.identify(*FLAGS, *validate, "--estimation.channel_covariance", "full", out="whitened")
        self.assertEqual(whitened["status"], "certified")
        self.assertLess(held_out_of(whitened), 1.1 * held_out_of(plain))
        self.assertNotEqual(held_out_of(whitened), held_out_of(plain))
        # training errors are those of the torques, whatever the rows were mixed to
        self.assertGreaterEqual(whitened["training"]["overall_relative"], 0.99 * plain["training"]["overall_relative"])
        self.assertLess(whitened["training"]["overall_relative"], 1.1 * plain["training"]["overall_relative"])

    def test_all_at_once_is_the_same_bits_for_any_threads(self):
        flags = [*FLAGS, "--estimation.loss", "huber", "--estimation.channel_covariance", "full",
                 "--conditioning.filter_rows", "true", "--conditioning.torque_lowpass_hz", 30]
        one, two = (self.identify(*flags, "--threads", threads, out=f"with_{threads}") for threads in (1, 2))
        for part in ("bodies", "columns", "training", "certificate"):
            self.assertEqual(one[part], two[part])

    def test_what_is_filtered_is_predicted_alike(self):
        flags = ["--lowpass", 40, "--conditioning.torque_lowpass_hz", 8, "--estimation.bootstrap", 0]
        validate = ["--validate", demo_log("held_out.csv")]
        plain = held_out_of(self.identify(*flags, *validate))
        result = self.identify(*flags, *validate, "--conditioning.filter_rows", "true")
        self.assertLess(held_out_of(result), 0.5 * plain)  # the torque lost what the rows kept
        table = self.scratch / "predicted.csv"
        done = run_heft("predict", "--model", self.scratch / "result" / "result.json", "--log", demo_log("held_out.csv"),
                        "--out", table)
        self.assert_done(done)
        with table.open() as file:
            rows = list(csv.DictReader(file))
        error2 = torque2 = 0
        for row in rows:
            for joint in (name.removeprefix("measured_") for name in row if name.startswith("measured_")):
                if row[f"used_{joint}"] == "1":
                    measured = float(row[f"measured_{joint}"])
                    error2 += (measured - float(row[f"predicted_{joint}"])) ** 2
                    torque2 += measured ** 2
        self.assertAlmostEqual((error2 / torque2) ** 0.5, held_out_of(result), delta=1e-5 * held_out_of(result))

    def test_rows_cannot_go_through_no_filter(self):
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--conditioning.filter", "none",
                             "--conditioning.filter_rows", "true", "--out", self.scratch / "result"],
                            "--conditioning.filter_rows", "needs a filter", "set conditioning.filter")

    def test_whitened_sums_are_not_for_a_file(self):
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--moments",
                             self.scratch / "sums", "--estimation.channel_covariance", "full", "--out",
                             self.scratch / "result"], str(self.scratch / "sums"), "whitened", "diagonal")
