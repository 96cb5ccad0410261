"""heft identify --columns auto: finds existing effects, rejects others, and can be reproduced without the search."""

import csv
import json
import math

from heft_program import ARM, HeftTestCase, demo_log, run_heft

SQUARE_ROOT = 4.0  # N m at 1 rad/s, in every joint


def with_square_root_friction(path):
    """The demo log as a text, with additional friction proportional to sqrt(speed)."""
    with open(path) as file:
        header, *rows = csv.reader(file)
    rows = [[float(field) for field in row] for row in rows]
    num_joints = (len(header) - 1) // 2
    lines = [",".join(header)]
    for i, row in enumerate(rows):
        before, after = rows[max(i - 1, 0)], rows[min(i + 1, len(rows) - 1)]
        torques = []
        for k in range(1, num_joints + 1):
            speed = (after[k] - before[k]) / (after[0] - before[0])
            torques.append(row[num_joints + k] + math.copysign(SQUARE_ROOT * math.sqrt(abs(speed)), speed))
        lines.append(",".join(f"{x:.12g}" for x in row[:num_joints + 1] + torques))
    return "\n".join(lines) + "\n"


def found_in(result):
    return [step["option"] for step in result["selection"]["steps"][1:]]


def answer_of(result):
    return {key: result[key] for key in ("bodies", "columns", "training", "estimates", "certificate", "uncertainty")}


class Selection(HeftTestCase):
    def test_what_is_there_is_found_and_had_again_without_the_search(self):
        train = self.write("train.csv", with_square_root_friction(demo_log("train.csv")))
        held_out = self.write("held_out.csv", with_square_root_friction(demo_log("held_out.csv")))
        result = self.identify("--columns", "auto", "--validate", held_out, log=train)
        self.assertIn("square-root friction", found_in(result))
        self.assertEqual(result["status"], "certified")
        unknowns = {column["name"]: column["value"] for column in result["columns"]}
        self.assertAlmostEqual(unknowns["square-root friction joint_1"], SQUARE_ROOT, delta=0.25 * SQUARE_ROOT)

        # never worse than the configured model, step by step
        steps = result["selection"]["steps"]
        errors = [step["cross_validated_error"] for step in steps]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertLess(steps[-1]["held_out_error"], steps[0]["held_out_error"])
        self.assertEqual(steps[-1]["held_out_error"], result["validation"]["overall_relative"])
        tried = [refusal["option"] for refusal in result["selection"]["refused"]] + found_in(result)
        # passes that an option takes: columns have one for all, at the begin and where samples have changed
        passes = {"motion low-pass": 1, "row filter": 1, "torque delay": 1, "rows of momentum": 2, "huber weights": 3,
                  "covariance of channels": 3}
        for option in passes:
            self.assertTrue([name for name in tried if name.startswith(option)], option)
        self.assertLessEqual(result["selection"]["passes"], 3 + sum(
            number for name in tried for option, number in passes.items() if name.startswith(option))
            + sum(name.startswith("delay of") for name in tried))
        # all but rows of momentum, which are other sums: two options a pass and more
        self.assertLess(result["selection"]["passes"] - passes["rows of momentum"], (result["selection"]["options"] - 1) / 2)

        # the same bits again, with the search and without it
        again = self.identify("--columns", "auto", "--validate", held_out, log=train, out="again")
        self.assertEqual(again["selection"], result["selection"])
        self.assertEqual(answer_of(again), answer_of(result))
        chosen = self.scratch / "result" / "chosen.yaml"
        repeated = self.identify("--config", chosen, "--validate", held_out, log=train, out="repeated")
        self.assertNotIn("selection", repeated)
        self.assertEqual(answer_of(repeated), answer_of(result))
        self.assertEqual(repeated["validation"], result["validation"])

    def test_a_late_torque_of_one_joint_is_found(self):
        """The torque of joint_2 lags by two rows, 8 ms; clean logs get no delay of a joint."""
        def late(path):
            with open(path) as file:
                header, *rows = csv.reader(file)
            at = header.index("tau_joint_2")
            lines = [[*row[:at], rows[max(i - 2, 0)][at], *row[at + 1:]] for i, row in enumerate(rows)]
            return "\n".join(map(",".join, [header, *lines])) + "\n"

        logs = {log: self.write(f"{log}.csv", late(demo_log(f"{log}.csv"))) for log in ("train", "held_out")}
        search = ("--columns", "auto", "--selection.menu", "none")
        result = self.identify(*search, "--validate", logs["held_out"], log=logs["train"])
        steps = [step for step in result["selection"]["steps"] if step["family"] == "delay"]
        self.assertEqual([step["option"].rsplit(" ", 2)[0] for step in steps], ["delay of joint_2"])
        delays = result["provenance"]["options"]["conditioning"]["torque_delay_s"]
        self.assertAlmostEqual(delays["joint_2"], 0.008, delta=0.0015)
        before = result["selection"]["steps"][0]["held_out_error"]
        self.assertLess(result["validation"]["overall_relative"], 0.8 * before)
        clean = self.identify(*search, "--validate", demo_log("held_out.csv"), out="clean")
        self.assertNotIn("delay", [step["family"] for step in clean["selection"]["steps"]])

    def test_rows_of_momentum_are_chosen_where_positions_are_coarse(self):
        logs = self.scratch / "logs"
        run_heft("simulate", "--robot", ARM, "--duration", 20, "--held-out", 10, "--rate", 500, "--encoder-counts", 4096, "--out", logs)
        result = self.identify("--columns", "auto", "--selection.menu", "none", "--validate", logs / "held_out.csv", "--truth",
                               logs / "truth.json", log=logs / "train.csv")
        steps = result["selection"]["steps"]
        alone = self.identify("--prior-weight", "auto", log=logs / "train.csv", out="alone")
        self.assertEqual(steps[1]["option"], f"prior weight {alone['prior']['weight']:g}")
        self.assertNotEqual(alone["prior"]["weight"], 0.01)
        step = next(step for step in steps if step["option"].startswith("rows of momentum, judged below"))
        self.assertEqual(result["provenance"]["options"]["conditioning"]["rows"], "momentum")
        self.assertGreater(step["standard_errors"], 1)
        # held-out errors are those of torques as they are, which the noise of accelerations hides the gain from
        self.assertLess(step["held_out_error"], 1.05 * result["selection"]["steps"][0]["held_out_error"])

    def test_momentum_is_judged_on_torques_when_it_is_configured(self):
        run_heft("simulate", "--robot", ARM, "--duration", 12, "--held-out", 4, "--rate", 250, "--out", self.scratch / "logs")
        errors = {}
        for rows in ("torque", "momentum", "power"):
            result = self.identify("--columns", "auto", "--selection.menu", "none", "--selection.max_steps", 1, "--rows", rows, out=rows,
                                   log=self.scratch / "logs" / "train.csv")
            errors[rows] = result["selection"]["steps"][0]["cross_validated_error"]
        self.assertLess(abs(errors["momentum"] / errors["torque"] - 1), 0.05)
        self.assertGreater(errors["power"], errors["torque"])

    def test_users_candidates_and_loads(self):
        config = self.write("own.yaml", "columns: [viscous, {coulomb: {tanh_width: 0.05}}, offset]\n"
                            "candidates:\n"
                            "  - expression: {name: root, unit: N m, each_joint: sqrt(abs(qd))*sign(qd), nonnegative: true}\n"
                            "  - expression: {name: strap, unit: '1', rows: {joint_2: abs(load_joint_2)*sin(q1)}}\n"
                            "selection: {columns: auto, menu: none}\n")
        train = self.write("train.csv", with_square_root_friction(demo_log("train.csv")))
        result = self.identify("--config", config, log=train)
        self.assertIn("root", found_in(result))
        self.assertNotIn("strap", found_in(result))
        self.assertIn("strap", [refusal["option"] for refusal in result["selection"]["refused"]])

    def test_an_addition_that_later_ones_replace_is_removed(self):
        """One column is nearly the sum of two effects and is added first; beside the columns of both it explains nothing."""
        def with_both(path):
            with open(path) as file:
                header, *rows = csv.reader(file)
            n = (len(header) - 1) // 2
            lines = [",".join(header)]
            for i, row in enumerate(rows):
                now, last, after = ([float(x) for x in rows[k]] for k in (i, max(i - 1, 0), min(i + 1, len(rows) - 1)))
                for k in range(1, n + 1):
                    speed = (after[k] - last[k]) / (after[0] - last[0])
                    now[n + k] += SQUARE_ROOT * (math.copysign(math.sqrt(abs(speed)), speed) + (1 + 0.3 * (-1) ** k) * math.sin(2 * now[k]))
                lines.append(",".join(f"{x:.12g}" for x in now))
            return "\n".join(lines) + "\n"

        config = self.write("both.yaml", "candidates:\n" + "".join(
            f"  - expression: {{name: {name}, unit: N m, each_joint: {expression}}}\n" for name, expression in (
                ("both", "sqrt(abs(qd))*sign(qd)+sin(2*q)+0.1*cos(3*q)"), ("root", "sqrt(abs(qd))*sign(qd)"), ("twice", "sin(2*q)"))) +
            "selection: {columns: auto, menu: none}\n")
        train = self.write("train.csv", with_both(demo_log("train.csv")))
        result = self.identify("--config", config, log=train)
        steps = [(step["option"], step["family"]) for step in result["selection"]["steps"]]
        self.assertIn(("both", "both"), steps)
        self.assertIn(("without both", "both"), steps)
        names = {column["name"].partition(" ")[0] for column in result["columns"]}
        self.assertTrue({"root", "twice"} <= names, names)
        self.assertNotIn("both", names)

    def test_a_delay_far_from_the_first_trials_is_found(self):
        """14 ms are three rows and a half: the parabola through -4, 0 and 4 ms is not yet accurate there."""
        header, *rows = demo_log("train.csv").read_text().splitlines()
        rows = [[float(field) for field in row.split(",")] for row in rows]
        n = (len(rows[0]) - 1) // 2
        late = [now[:n + 1] + [0.5 * (a + b) for a, b in zip(third[n + 1:], fourth[n + 1:])]
                for now, third, fourth in zip(rows[4:], rows[1:], rows)]
        log = self.write("late.csv", "\n".join([header, *(",".join(f"{x:.12g}" for x in row) for row in late)]) + "\n")
        result = self.identify("--columns", "auto", "--selection.menu", "none", log=log)
        self.assertAlmostEqual(result["provenance"]["options"]["conditioning"]["torque_delay_s"], 0.014, delta=0.0005)

    def test_nothing_is_added_to_a_model_that_is_right(self):
        # with rows that are filtered as the torque: a low-pass that rounds friction off adds friction with a memory to a log this short
        result = self.identify("--columns", "auto", "--conditioning.filter_rows", "true", "--conditioning.lowpass_hz", 20,
                               "--conditioning.torque_lowpass_hz", 10)
        # how much to believe the prior and how to filter are matters of the data, not of the model
        of_data = ("prior weight", "row filter", "motion low-pass")
        self.assertEqual([option for option in found_in(result) if not option.startswith(of_data)], [])
        self.assertGreater(len(result["selection"]["refused"]), 15)

    def test_a_log_that_is_too_short_for_a_search_gets_a_prior_weight(self):
        """Half a second: two folds, which cannot tell an effect from the rows beside it."""
        short = ("--estimation.training_samples", 130)
        result = self.identify(*short, "--columns", "auto")
        auto = self.identify(*short, "--columns", "auto", "--prior-weight", "auto", out="auto")
        alone = self.identify(*short, "--prior-weight", "auto", out="alone")
        self.assertLess(result["selection"]["folds"], 4)
        self.assertEqual(result["selection"]["refused"], [])
        self.assertEqual(result["prior"]["weight"], alone["prior"]["weight"])
        self.assertEqual(answer_of(auto), answer_of(result))

    def test_loads_of_a_prediction_are_those_of_the_identification(self):
        config = self.write("load.yaml", "columns:\n  - viscous\n  - offset\n"
                            "  - expression: {name: load friction, unit: '1', each_joint: abs(load)*tanh(qd/0.05)}\n")
        result = self.identify("--config", config, "--validate", demo_log("held_out.csv"))
        done = run_heft("predict", "--model", self.scratch / "result" / "result.json", "--log",
                        demo_log("held_out.csv"), "--out", self.scratch / "prediction.csv")
        self.assert_done(done)
        error2 = torque2 = 0
        with open(self.scratch / "prediction.csv") as file:
            for row in csv.DictReader(file):
                for name in row:
                    if name.startswith("measured_"):
                        joint = name.removeprefix("measured_")
                        error2 += (float(row[name]) - float(row["predicted_" + joint])) ** 2
                        torque2 += float(row[name]) ** 2
        self.assertAlmostEqual(math.sqrt(error2 / torque2), result["validation"]["overall_relative"], delta=1e-6)

    def test_refusals(self):
        common = ["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out", self.scratch / "out"]
        self.assert_refused([*common, "--columns", "auto", "--solver", "wls"], "--selection.columns", "prior")
        self.assert_refused([*common, "--columns", "all"], "--selection.columns", "all")
        self.assert_refused([*common, "--load.inertia", "[1, 2, 3]", "--config", self.write(
            "load.yaml", "columns: [{expression: {name: x, each_joint: load}}]\n")], "--load.inertia", "3 numbers")
