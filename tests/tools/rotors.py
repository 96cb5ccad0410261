"""Rotors from their YAML file to observe and identify."""

import json

from heft_program import ARM, HeftTestCase, demo_log, run_heft

ROTORS = """\
rotors:
  - {joint: joint_2, gear_ratio: 100, mass: 0.2, inertia: {ixx: 5e-5, iyy: 5e-5, izz: 1e-4}}
  - {joint: joint_4, gear_ratio: -50}
"""


class Rotors(HeftTestCase):
    def observe(self, *arguments):
        path = self.scratch / "observe.json"
        done = run_heft("observe", ARM, "--json", path, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(path.read_text())

    def test_each_adds_one_base_parameter(self):
        rotors = self.write("rotors.yaml", ROTORS)
        plain, geared = self.observe(), self.observe("--rotors", rotors)
        self.assertEqual(geared["num_base"], plain["num_base"] + 2)
        self.assertEqual(geared["num_base_without_rotors"], plain["num_base"])

    def test_base_wrench_sees_nothing_of_an_aligned_rotor(self):
        # a rotor along its joint's axis turns with the link as far as momentum goes: n I is a part of the link's Izz
        rotors = self.write("rotors.yaml", """\
rotors: [{joint: joint_2, gear_ratio: 100, origin: {rpy: [-1.5707963267948966, 0, 0]}}]
""")

        def combinations(*arguments):
            channels = self.observe("--floating", *arguments)["channels"]
            return {channel["channel"]: len(channel["identifiable"]) for channel in channels}

        plain, geared = combinations(), combinations("--rotors", rotors)
        self.assertEqual({name: geared[name] - plain[name] for name in plain},
                         {name: 1 if name == "joint_2" else 0 for name in plain})

    def test_dimensions_alone_count_the_same(self):
        rotors = self.write("rotors.yaml", ROTORS)
        whole, dimensions = self.observe("--rotors", rotors), self.observe("--rotors", rotors, "--dimensions")
        self.assertEqual(dimensions["num_base"], whole["num_base"])
        self.assertEqual(dimensions["joints"], whole["joints"])
        self.assertEqual(dimensions["identifiable"], [])

    def test_result_keeps_them_and_can_be_solved_again(self):
        rotors = self.write("rotors.yaml", ROTORS)
        moments = self.scratch / "train.heft"
        result = self.identify("--rotors", rotors, "--moments", moments)
        names = [body["name"] for body in result["bodies"] if body["rotor"]]
        self.assertEqual(names, ["joint_2.rotor", "joint_4.rotor"])
        self.assertEqual((self.scratch / "result" / "rotors.yaml").read_text(), ROTORS)
        rotors.unlink()  # the moments file stands by itself
        done = run_heft("solve", moments, "--out", self.scratch / "again")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = json.loads((self.scratch / "again" / "result.json").read_text())
        self.assertEqual(again["bodies"], result["bodies"])
        done = run_heft("predict", "--model", self.scratch / "again" / "result.json", "--log", demo_log("held_out.csv"),
                        "--out", self.scratch / "predicted.csv")
        self.assert_done(done)
