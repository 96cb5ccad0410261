"""Doubts that real logs raised wrongly, and causes that took ten lines, each with the fault that must still be named."""

import functools
import json
import math
import pathlib
import tempfile

from heft_program import ARM, JOINTS, HeftTestCase, run_heft
from test_check_log import TORQUES, LogCase, Table, simulated


@functools.lru_cache(maxsize=None)
def held_out():
    """Another motion of the same arm."""
    with tempfile.TemporaryDirectory(prefix="heft-doubts-") as folder:
        done = run_heft("simulate", "--robot", ARM, "--duration", 16, "--held-out", 8, "--rate", 250, "--out", folder)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return (pathlib.Path(folder) / "held_out.csv").read_text()


def accelerations(table, name):
    """Second differences of a position over 20 ms in both directions."""
    q, reach, dt = table[f"q_{name}"], 5, table["t"][1] - table["t"][0]
    inside = [(q[k + reach] - 2 * q[k] + q[k - reach]) / (reach * dt) ** 2 for k in range(reach, len(q) - reach)]
    return [inside[0]] * reach + inside + [inside[-1]] * reach


class FalseDoubts(LogCase):
    def identified(self, *tables, flags=(), out="result"):
        """result.json of training and held-out logs."""
        train, other = (table.write(self.scratch / name) for table, name in zip(tables, ("train.csv", "held_out.csv")))
        return self.identify("--validate", other, "--estimation.bootstrap", 0, *flags, log=train, out=out)

    def serious(self, result):
        return [doubt for doubt in result["doubts"] if doubt["severity"] == "serious"]

    def test_the_rotor_of_a_light_wrist_is_no_unit(self):
        table = Table(simulated())
        for name in ("joint_6", "joint_7"):
            table[f"tau_{name}"] = [tau + 0.5 * qdd for tau, qdd in zip(table[f"tau_{name}"], accelerations(table, name))]
        names = [f["name"] for f in self.check(table.write(self.scratch / "rotors.csv"))]
        self.assertNotIn("torque-unit", names)

    def test_the_factor_that_was_found_is_suggested(self):
        table, other = Table(simulated()), Table(held_out())
        for one in (table, other):
            one.scale(12, "tau_joint_2")
        findings = {f["name"]: f for f in self.check(table.write(self.scratch / "scaled.csv"))}
        factor = float(findings["torque-unit"]["remedy"].split('"joint_2": ')[1].split("}")[0])
        self.assertAlmostEqual(factor, 1 / 12, delta=0.2 / 12)
        first = self.serious(self.identified(table, other))[0]
        self.assertIn(first["id"], ("torque-unit", "torque-scale"))
        found = float(first["remedy"].split('"joint_2": ')[1].split("}")[0])
        self.assertAlmostEqual(found, 1 / 12, delta=0.02 / 12)

    def test_one_line_for_a_unit_of_all_torques(self):
        table, other = Table(simulated()), Table(held_out())
        for one in (table, other):
            one.scale(1000, *TORQUES)
        serious = self.serious(self.identified(table, other))
        self.assertEqual([doubt["id"] for doubt in serious], ["torque-unit"], [doubt["words"] for doubt in serious])
        self.assertIn("all torques", serious[0]["words"])
        self.assertIn("also in", serious[0]["words"])
        yaml = serious[0]["remedy"].split("configuration: ")[1].rstrip(".")
        result = self.identified(table, other, flags=("--config", self.write("unit.yaml", yaml)), out="fixed")
        self.assertEqual(self.serious(result), [])

    def test_one_line_for_positions_that_stood_still_together(self):
        table, other = Table(simulated()), Table(held_out())
        for name in JOINTS:
            q = table[f"q_{name}"]
            table[f"q_{name}"] = [q[500] if 500 <= k < 800 else x for k, x in enumerate(q)]
        serious = self.serious(self.identified(table, other))
        self.assertEqual([doubt["id"] for doubt in serious], ["signal-stuck"], [doubt["words"] for doubt in serious])
        self.assertIn("likewise q_joint_2", serious[0]["words"])

    def test_symptoms_come_back_once_the_cause_is_accepted(self):
        table, other = Table(simulated()), Table(held_out())
        for one in (table, other):
            one.scale(-1, "tau_joint_2")
        result = self.identified(table, other)
        self.assertEqual([doubt["id"] for doubt in self.serious(result)], ["torque-reversed"])
        minor = {doubt["id"] for doubt in result["doubts"] if doubt["severity"] == "minor"}
        self.assertIn("error-large", minor)
        accepted = self.identified(table, other, flags=("--accept", "torque-reversed"), out="accepted")
        self.assertGreater(len(self.serious(accepted)), 1)

    def test_degrees_of_all_joints_are_one_finding(self):
        table = Table(simulated())
        table.scale(180 / math.pi, *(f"q_{name}" for name in JOINTS))
        findings = [f for f in self.check(table.write(self.scratch / "degrees.csv")) if f["severity"] == "error"]
        self.assertEqual([f["name"] for f in findings], ["position-in-degrees"])
        self.assertEqual(findings[0]["yaml"], "log: {angle_unit: deg}\n")

    def test_foreign_rows_without_torque_are_the_cause(self):
        log = Table(simulated())
        text = pathlib.Path(log.write(self.scratch / "own.csv")).read_text().splitlines()
        header = text[0].split(",")
        rows = []
        for k, line in enumerate(text[1:]):
            rows.append(line)
            if k % 3 == 0:
                t = float(line.split(",")[0]) + 0.001
                rows.append(",".join(f"{t:.6f}" if name == "t" else "nan" if name.startswith("tau") else "0" for name in header))
        mixed = self.write("mixed.csv", "\n".join([text[0], *rows]) + "\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", mixed, "--out", self.scratch / "none"], f"{mixed}:3", "rows come from another source",
                            "drop_damaged: true")
        self.identify("--log.drop_damaged", "true", log=mixed)

    def test_the_price_of_a_heavy_prior_is_stated_and_its_remedy_helps(self):
        table, other = Table(simulated()), Table(held_out())
        heavy = self.identified(table, other, flags=("--prior-weight", "100"))
        doubt = next(d for d in heavy["doubts"] if d["id"] == "price-of-prior")
        self.assertIn("The prior raises the squared error by ", doubt["words"])
        self.assertIn("--prior-weight auto", doubt["remedy"])
        chosen = self.identified(table, other, flags=("--prior-weight", "auto"), out="chosen")
        self.assertLess(chosen["validation"]["overall_relative"], 0.9 * heavy["validation"]["overall_relative"])
        self.assertNotIn("price-of-prior", [d["id"] for d in self.identified(table, other, out="usual")["doubts"]])

    def test_a_rotor_that_the_model_lacks_is_named(self):
        table, other = Table(simulated()), Table(held_out())
        for one in (table, other):
            one["tau_joint_3"] = [tau + 2.0 * qdd for tau, qdd in zip(one["tau_joint_3"], accelerations(one, "joint_3"))]
        result = self.identified(table, other)
        doubt = next((d for d in result["doubts"] if d["id"] == "terms-missing"), None)
        self.assertIsNotNone(doubt, [d["words"] for d in result["doubts"]])
        self.assertIn("reflected_inertia of joint_3", doubt["words"])
        self.assertIn("columns: [default, reflected_inertia]", doubt["remedy"])
        better = self.identified(table, other, flags=("--config", self.write("rotors.yaml", "columns: [default, reflected_inertia]\n")),
                                 out="better")
        self.assertLess(better["validation"]["overall_relative"], 0.7 * result["validation"]["overall_relative"])
