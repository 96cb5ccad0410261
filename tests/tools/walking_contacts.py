"""Robots that walk on feet without sensors: contact forces projected out of the rows."""

import json

import walking_robots
from heft_program import SOURCE, run_heft
from schema_walk import wrong_places
from walking_robots import CONFIG, biped_log, true_com

CONTACT = """\
  - frame: {side}_foot
    type: plane
    state: {state}
"""
NO_SENSORS = CONFIG[:CONFIG.index("wrenches:")]


def contacts(state, sides=("left", "right"), more=""):
    """`state` may have {side} in it."""
    return "contacts:\n" + "".join(CONTACT.format(side=side, state=state.format(side=side)) + more for side in sides)


FORCE = "{{force: [{side}_fx, {side}_fy, {side}_fz], threshold: 20}}"


class Contacts(walking_robots.WalkingRobot):
    """Feet without sensors; the log's foot forces only tell when they touch the ground."""

    def add_flags(self, late_s=0.0):
        """Columns left_on and right_on: 1 while the foot carries load, in the simulation."""
        for path in (self.train, self.held_out):
            header, *rows = path.read_text().splitlines()
            lines = [header + ",left_on,right_on"]
            for row in rows:
                left = biped_log.share_of_left(float(row.split(",", 1)[0]) - late_s)
                lines.append(f"{row},{int(left > 0)},{int(left < 1)}")
            path.write_text("\n".join(lines) + "\n")

    def assert_whole(self, result, mass=0.015, com=0.006):
        self.assertAlmostEqual(result["whole"]["mass"] / biped_log.total_mass(), 1, delta=mass)
        for value, truth in zip(result["whole"]["com"], true_com()):
            self.assertAlmostEqual(value, truth, delta=com)

    def test_reveal_the_whole_robot(self):
        self.add_flags()
        words, result = self.walk(NO_SENSORS + contacts("{side}_on"))
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "result.schema.json"), [])
        self.assertLess(result["validation"]["overall_relative"], 0.03)
        self.assert_whole(result)
        for contact, side in zip(result["contacts"], ("left", "right")):
            self.assertEqual(contact["frame"], f"{side}_foot")
            # the foot is in the air while sin(angle) < -5/12; widened by 25 ms at both ends
            self.assertAlmostEqual(contact["share_of_time"], 0.649, delta=0.03)
            self.assertTrue(0.05 < contact["information_lost"] < 0.9, contact)
        self.assertIn("contacts without sensors: left_foot ", words)
        self.assertEqual(result["provenance"]["options"]["contacts"][0]["state"], "left_on")
        self.assertEqual(len(result["provenance"]["options"]["load"]["noise"]), len(result["channels"]))

    def test_predictions_contain_the_forces(self):
        """heft predict finds the held-out error of the result."""
        self.add_flags()
        _, result = self.walk(NO_SENSORS + contacts("{side}_on"))
        done = run_heft("predict", "--model", self.scratch / "result", "--log", self.held_out, "--out", self.scratch / "predicted.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"error {100 * result['validation']['overall_relative']:.2f} % of the torque", done.stdout)

    def test_a_line_takes_no_torque_about_itself(self):
        """The simulated soles push with all six components, of which lines along x and y leave one each."""
        self.add_flags()
        _, plane = self.walk(NO_SENSORS + contacts("{side}_on"))
        for axis in "xy":
            _, line = self.walk(NO_SENSORS + contacts("{side}_on").replace("type: plane", f"type: line\n    axis: {axis}"))
            self.assertGreater(line["validation"]["overall_relative"], 3 * plane["validation"]["overall_relative"])

    def test_ignored_contacts_spoil_the_fit(self):
        """Flags that are always 0: nothing is projected."""
        self.add_flags()
        for path in (self.train, self.held_out):
            header, *rows = path.read_text().splitlines()
            path.write_text("\n".join([header, *(row[:-3] + "0,0" for row in rows)]) + "\n")
        _, result = self.walk(NO_SENSORS + contacts("{side}_on"))
        self.assertGreater(result["validation"]["overall_relative"], 0.3)
        self.assertGreater(abs(result["whole"]["mass"] / biped_log.total_mass() - 1), 0.1)

    def test_thresholds_of_forces(self):
        _, result = self.walk(NO_SENSORS + contacts(FORCE))
        self.assert_whole(result)

    def test_states_from_residuals(self):
        _, result = self.walk(NO_SENSORS + contacts("auto"))
        self.assert_whole(result)
        for contact in result["contacts"]:
            self.assertLess(contact["share_of_time"], 0.95)

    def test_late_flags_are_widened(self):
        self.add_flags(0.02)
        _, result = self.walk(NO_SENSORS + contacts("{side}_on"))
        self.assert_whole(result)
        _, narrow = self.walk(NO_SENSORS + contacts("{side}_on", more="    widen_s: 0\n"))
        self.assertGreater(narrow["validation"]["overall_relative"], 1.15 * result["validation"]["overall_relative"])

    def test_measured_and_unmeasured_feet(self):
        self.add_flags()
        one = CONFIG[:CONFIG.index("  - name: right")]
        words, result = self.walk(one + contacts("{side}_on"))
        self.assert_whole(result, 0.01)
        self.assertEqual([contact["frame"] for contact in result["contacts"]], ["right_foot"])
        self.assertIn("bias left fx", words)
        _, ignored = self.walk(one + contacts("{side}_on"), "--estimation.contacts", "null_space")
        self.assertEqual([contact["frame"] for contact in ignored["contacts"]], ["left_foot", "right_foot"])
        self.assertNotIn("bias left fx", [column["name"] for column in ignored["columns"]])

    def invert(self, *names):
        """Exchanges 0 and 1 in columns of both logs."""
        for path in (self.train, self.held_out):
            header, *rows = (line.split(",") for line in path.read_text().splitlines())
            at = [header.index(name) for name in names]
            inverted = [[str(1 - int(x)) if k in at else x for k, x in enumerate(row)] for row in rows]
            path.write_text("\n".join(",".join(row) for row in [header, *inverted]) + "\n")

    def test_check_finds_nothing_in_sound_contacts(self):
        self.add_flags()
        one = CONFIG[:CONFIG.index("  - name: right")]
        for config in (NO_SENSORS + contacts("{side}_on"), NO_SENSORS + contacts(FORCE), NO_SENSORS + contacts("auto"),
                       one + contacts("{side}_on")):
            self.assertEqual(self.found(config), {}, config)

    def test_check_names_inverted_flags(self):
        self.add_flags()
        self.invert("right_on")
        one = CONFIG[:CONFIG.index("  - name: right")]
        for config in (NO_SENSORS + contacts("{side}_on"), one + contacts("{side}_on", sides=("right",))):
            findings = self.found(config)
            self.assertEqual(set(findings), {"contact-state"}, config)
            self.assertEqual(findings["contact-state"]["subject"], "right_foot")
            self.assertIn("invert the column", findings["contact-state"]["remedy"])
        _, result = self.walk(NO_SENSORS + contacts("auto"))  # the other remedy
        self.assert_whole(result)

    def test_check_names_a_threshold_that_no_force_reaches(self):
        found = self.found(NO_SENSORS + contacts(FORCE.replace("20", "5000"), sides=("left",)) + contacts("auto", sides=("right",))[10:])
        self.assertEqual(found["contact-state"]["subject"], "left_foot")
        self.assertIn("and 0 % while it is", found["contact-state"]["what"])

    def test_unknown_frame(self):
        self.assert_refused(self.command(NO_SENSORS + contacts("auto").replace("left_foot", "left_fot")),
                            "contacts: frame 'left_fot'", "is not a link that the robot moves", "did you mean 'left_foot'?")

    def test_unknown_column(self):
        self.assert_refused(self.command(NO_SENSORS + contacts("{side}_fxx")), "contacts: left_foot", "the log has no column 'left_fxx'",
                            "did you mean 'left_fx'?")

    def test_joints_to_keep_are_checked(self):
        self.assert_refused([*self.command(NO_SENSORS + contacts("auto")), "--joints.keep", "left_shnk"], "--joints.keep",
                            "unknown joint 'left_shnk'", "did you mean 'left_shank'?")

    def test_rows_that_are_not_filtered(self):
        config = (NO_SENSORS + contacts("auto")).replace("filter_rows: true, ", "")
        self.assert_refused(self.command(config), "contacts", "can only be removed from filtered rows", "conditioning.filter_rows: true")

    def test_bad_options(self):
        path = self.scratch / "biped.yaml"
        lines = len(NO_SENSORS.splitlines())
        for text, where, says in (("contacts: 3\n", f"{path}:{lines + 1}", "contacts must be a list"),
                                  ("contacts: [{type: plane}]\n", f"{path}:{lines + 1}", "a contact has no frame"),
                                  ("contacts: [{frame: left_foot, type: disk}]\n", f"{path}:{lines + 1}", "unknown choice 'disk'"),
                                  ("contacts: [{frame: left_foot, axis: x}]\n", f"{path}:{lines + 1}", "only a line has an axis"),
                                  ("contacts: [{frame: left_foot, state: {force: [left_fx]}}]\n", f"{path}:{lines + 1}", "no threshold"),
                                  ("contacts: [{frame: left_foot, widen_s: -1}]\n", f"{path}:{lines + 1}", "widen_s must be between 0 and 1"),
                                  ("contacts: [{frame: left_foot, radius: 0.02}]\n", "contacts: left_foot", "needs the orientation"),
                                  ("contacts: [{frame: left_foot}, {frame: left_foot}]\n", f"{path}:{lines + 1}", "is given twice")):
            with self.subTest(text):
                self.assert_refused(self.command(NO_SENSORS + text), where, says)

    def test_observe_tells_the_cost(self):
        config = self.write("contacts.yaml", "robot: {floating_base: true}\n" + contacts("auto"))
        out = self.scratch / "observed.json"
        done = run_heft("observe", self.robot, "--contacts", config, "--json", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("with unknown wrenches at all contacts: ", done.stdout)
        cost = json.loads(out.read_text())["contacts"]
        self.assertEqual([contact["frame"] for contact in cost["contacts"]], ["left_foot", "right_foot"])
        self.assertEqual(len(cost["parameters"]), cost["num_base"])
        self.assertLessEqual(cost["num_base_projected"], cost["num_base"])
        lost = [parameter["information_lost"] for parameter in cost["parameters"]]
        self.assertTrue(all(0 <= one <= 1 for one in lost))
        self.assertGreater(max(lost), 0.3)
        for contact in cost["contacts"]:
            self.assertTrue(0.05 < contact["information_lost"] < 1, contact)
