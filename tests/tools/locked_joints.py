"""Joints that a log lacks: `joints: {locked: ..}`, and floating joints at the root. What a locked joint means is compared
with a robot file in which the joint is fixed at the same place by hand."""

import json
import re
import xml.etree.ElementTree as ElementTree

from heft_program import PARAMETERS, HeftTestCase, run_heft


def inertial(mass, x=0.0, y=0.0, z=0.0, size=0.05):
    one = mass * size**2
    return (f'<inertial><origin xyz="{x} {y} {z}"/><mass value="{mass}"/><inertia ixx="{one}" ixy="0" ixz="0" iyy="{one}" '
            f'iyz="0" izz="{one}"/></inertial>')


LIMIT = '<limit lower="-2" upper="2" effort="60" velocity="3"/>'
ARM = f"""\
  <link name="base"/>
  <joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>{LIMIT}</joint>
  <link name="upper">{inertial(3, z=0.2, size=0.1)}</link>
  <joint name="b" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4" rpy="0.3 0 0"/><axis xyz="1 0 0"/>{LIMIT}</joint>
  <link name="lower">{inertial(2, x=0.02, z=0.15, size=0.08)}</link>
"""
FINGER = '<limit lower="0" upper="0.04" effort="20" velocity="0.2"/>'
# finger_r is at 2 q - 0.01 along its own axis, which points the other way
HAND = f"""\
  <joint name="mount" type="fixed"><parent link="lower"/><child link="palm"/><origin xyz="0 0 0.3"/></joint>
  <link name="palm">{inertial(0.5, z=0.02)}</link>
  <joint name="finger_l" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 0 0.05"/><axis xyz="0 1 0"/>{FINGER}</joint>
  <link name="left">{inertial(0.1, z=0.03, size=0.02)}</link>
  <joint name="pad" type="fixed"><parent link="left"/><child link="pad"/><origin xyz="0 0.01 0.05"/></joint>
  <link name="pad">{inertial(0.02, size=0.01)}</link>
  <joint name="finger_r" type="prismatic"><parent link="palm"/><child link="right"/><origin xyz="0 0 0.05"/><axis xyz="0 -1 0"/>{FINGER}<mimic joint="finger_l" multiplier="2" offset="-0.01"/></joint>
  <link name="right">{inertial(0.12, z=0.03, size=0.02)}</link>
"""
FINGER_AT = 0.02
FIXED_HAND = re.sub(r'<axis xyz="0 -?1 0"/>|<limit lower="0"[^>]*>|<mimic[^>]*>', "", HAND.replace(
    '"prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 0 0.05"/>',
    f'"fixed"><parent link="palm"/><child link="left"/><origin xyz="0 {FINGER_AT} 0.05"/>').replace(
    '"prismatic"><parent link="palm"/><child link="right"/><origin xyz="0 0 0.05"/>',
    f'"fixed"><parent link="palm"/><child link="right"/><origin xyz="0 {-(2 * FINGER_AT - 0.01)} 0.05"/>'))


def robot(*parts):
    return '<robot name="arm_hand">\n' + "".join(parts) + "</robot>\n"


class LockedTestCase(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.hand = self.write("arm_hand.urdf", robot(ARM, HAND))
        self.fixed = self.write("arm_fixed.urdf", robot(ARM, FIXED_HAND))
        done = run_heft("simulate", "--robot", self.fixed, "--duration", 3, "--held-out", 3, "--rate", 200, "--seed", 5,
                        "--out", self.scratch / "logs")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.log = self.scratch / "logs" / "train.csv"

    def identify_hand(self, *arguments, **options):
        return self.identify(*arguments, "--estimation.bootstrap", 0, log=self.log, **{"robot": self.hand, **options})

    def refused(self, value, says, remedy="", where="--joints.locked"):
        self.assert_refused(["identify", "--robot", self.hand, "--log", self.log, "--out", self.scratch / "none",
                             "--joints.locked", value], where, says, remedy)

    def assert_same_bodies(self, one, other):
        self.assertEqual([body["name"] for body in one["bodies"]], [body["name"] for body in other["bodies"]])
        for body, same in zip(one["bodies"], other["bodies"]):
            for kind in ("prior", "parameters"):
                size = max(abs(value) for value in body[kind].values())
                for name in PARAMETERS:
                    self.assertAlmostEqual(body[kind][name], same[kind][name], delta=1e-8 * size, msg=(body["name"], name))


class LockedJoints(LockedTestCase):
    def test_missing_columns_name_the_joint_and_the_option(self):
        self.assert_refused(
            ["identify", "--robot", self.hand, "--log", self.log, "--out", self.scratch / "none"], f"{self.log}:1",
            "the log has columns for 2 of 3 joints; lock finger_l at 0? add `joints: {locked: {finger_l: 0}}`")

    def test_proposed_option_works_as_it_is(self):
        done = run_heft("identify", "--robot", self.hand, "--log", self.log, "--out", self.scratch / "none")
        yaml = re.search(r"add `(.*?)`", done.stderr).group(1)
        result = self.identify_hand("--config", self.write("arm.yaml", yaml + "\n"))
        self.assertEqual(result["provenance"]["options"]["joints"]["locked"], {"finger_l": 0})

    def test_zero_outside_the_limits_is_not_proposed(self):
        self.hand.write_text(self.hand.read_text().replace('lower="0" upper="0.04"', 'lower="0.01" upper="0.04"'))
        done = run_heft("identify", "--robot", self.hand, "--log", self.log, "--out", self.scratch / "none")
        self.assertIn("lock finger_l at 0.01? add `joints: {locked: {finger_l: 0.01}}`", done.stderr)

    def test_several_are_listed(self):
        second = HAND.replace("finger_", "thumb_").replace('"palm"', '"palm2"').replace("mount", "mount2")
        second = re.sub('"(left|right|pad)"', r'"\g<1>2"', second)
        self.hand.write_text(robot(ARM, HAND, second))
        done = run_heft("identify", "--robot", self.hand, "--log", self.log, "--out", self.scratch / "none")
        self.assertIn("columns for 2 of 4 joints; lock finger_l at 0 and thumb_l at 0? "
                      "add `joints: {locked: {finger_l: 0, thumb_l: 0}}`", done.stderr)

    def test_misspelled_column_is_still_called_so(self):
        self.log.write_text(self.log.read_text().replace("q_b,", "Q_b,", 1))
        plain = self.write("arm.urdf", robot(ARM))
        self.assert_refused(["identify", "--robot", plain, "--log", self.log, "--out", self.scratch / "none"],
                            f"{self.log}:1", "no column 'q_b'", "did you mean 'Q_b'?")

    def test_joint_with_another_name_in_the_log_is_not_locked(self):
        self.log.write_text(self.log.read_text().replace("q_b,", "q_elbow,", 1).replace("tau_b", "tau_elbow", 1))
        plain = self.write("arm.urdf", robot(ARM))
        self.assert_refused(["identify", "--robot", plain, "--log", self.log, "--out", self.scratch / "none"], f"{self.log}:1",
                            "no column 'q_b'", "if they are those of 'b', rename them")

    def test_joint_whose_torque_is_logged_is_not_locked(self):
        self.log.write_text(self.log.read_text().replace("q_b,", "angle,", 1))
        plain = self.write("arm.urdf", robot(ARM))
        self.assert_refused(["identify", "--robot", plain, "--log", self.log, "--out", self.scratch / "none"],
                            f"{self.log}:1", "no column 'q_b'")

    def test_same_answer_as_with_the_joint_fixed_in_the_file(self):
        fixed = self.identify_hand(robot=self.fixed, out="fixed")
        for k, value in enumerate((f"{{finger_l: {FINGER_AT}}}", f"finger_l: {FINGER_AT}", f"finger_l={FINGER_AT}")):
            self.assert_same_bodies(self.identify_hand("--joints.locked", value, out=f"flag{k}"), fixed)
        config = self.write("arm.yaml", f"joints: {{locked: {{finger_l: {FINGER_AT}}}}}\n")
        self.assert_same_bodies(self.identify_hand("--config", config, out="yaml"), fixed)

    def test_list_means_zero(self):
        zero = self.identify_hand("--joints.locked", "{finger_l: 0}", out="zero")
        self.assert_same_bodies(self.identify_hand("--joints.locked", "[finger_l]", out="list"), zero)
        self.assert_same_bodies(self.identify_hand("--joints.locked", "finger_l", out="name"), zero)

    def test_turning_joint_is_locked_at_its_angle(self):
        urdf = self.write("plain.urdf", robot(ARM))
        turned = self.write("turned.urdf", robot(ARM.replace('"b" type="revolute"', '"b" type="fixed"').replace(
            'rpy="0.3 0 0"', 'rpy="1 0 0"')))
        options = dict(log=self.log, exit_code=None)
        one = self.identify("--joints.locked", "{b: 0.7}", robot=urdf, out="one", **options)
        other = self.identify(robot=turned, out="other", **options)
        self.assert_same_bodies(one, other)

    def test_identified_file_is_right_for_the_whole_robot(self):
        result = self.identify_hand("--joints.locked", f"{{finger_l: {FINGER_AT}}}")
        urdf = self.scratch / "result" / "identified.urdf"
        masses = {link.get("name"): float(link.find("inertial/mass").get("value"))
                  for link in ElementTree.parse(urdf).iter("link") if link.find("inertial") is not None}
        self.assertEqual({name: masses[name] for name in ("left", "right", "pad")},
                         {"left": 0.1, "right": 0.12, "pad": 0.02})  # fingers that move have mass
        self.assertAlmostEqual(sum(masses.values()), sum(body["parameters"]["m"] for body in result["bodies"]), places=12)
        again = self.identify_hand("--joints.locked", f"{{finger_l: {FINGER_AT}}}", robot=urdf, out="again")
        for body, same in zip(result["bodies"], again["bodies"]):
            size = max(map(abs, body["parameters"].values()))
            for name in PARAMETERS:
                self.assertAlmostEqual(body["parameters"][name], same["prior"][name], delta=1e-12 * size)

    def test_predict_check_solve_and_simulate_hold_it_too(self):
        self.identify_hand("--joints.locked", f"{{finger_l: {FINGER_AT}}}", "--moments", self.scratch / "m.heft")
        done = run_heft("predict", "--model", self.scratch / "result", "--log", self.scratch / "logs" / "held_out.csv",
                        "--out", self.scratch / "predicted.csv")
        self.assert_done(done)
        self.assertLess(float(re.search(r"error ([\d.]+) %", done.stdout).group(1)), 3)
        done = run_heft("solve", self.scratch / "m.heft", "--out", self.scratch / "solved")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assertEqual((self.scratch / "solved" / "identified.urdf").read_text(),
                         (self.scratch / "result" / "identified.urdf").read_text())
        done = run_heft("check", "--robot", self.hand, "--log", self.log, "--joints.locked", "finger_l")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run_heft("simulate", "--robot", self.hand, "--joints.locked", "finger_l", "--duration", 1, "--held-out", 1,
                        "--out", self.scratch / "simulated")
        self.assertEqual(done.returncode, 0, done.stderr)
        header = (self.scratch / "simulated" / "train.csv").read_text().splitlines()[0]
        self.assertEqual(header, "t,q_a,q_b,tau_a,tau_b")

    def test_summary_says_what_is_locked(self):
        done = run_heft("identify", "--robot", self.hand, "--log", self.log, "--joints.locked", "{finger_l: 0.02}", "--out",
                        self.scratch / "out")
        self.assertIn("locked    finger_l at 0.02; its columns are not read", done.stdout)


class BadLocked(LockedTestCase):
    def test_no_such_joint(self):
        self.refused("{finger: 0.01}", "unknown joint 'finger'", "did you mean 'finger_l'?")

    def test_outside_its_limits(self):
        self.refused("{finger_l: 0.5}", "0.5 m for 'finger_l' is outside its limits, 0 to 0.04 m", "within")
        self.refused("{a: 3}", "3 rad for 'a' is outside its limits, -2 to 2 rad")

    def test_follower(self):
        self.refused("finger_r", "joint 'finger_r' mimics 'finger_l'", "lock 'finger_l'")

    def test_fixed_joint(self):
        self.refused("mount", "joint 'mount' is fixed in the robot file", "remove it")

    def test_not_a_number(self):
        self.refused("{finger_l: open}", "locked.finger_l: cannot read 'open'", "{finger: 0.02}")
        self.refused("{finger_l: .nan}", "locked.finger_l: cannot read '.nan'")
        self.refused("{finger_l: [1, 2]}", "locked.finger_l: cannot read this structure")

    def test_all_joints(self):
        self.refused("[a, b, finger_l]", "locks all joints that move", "remove at least one joint")

    def test_file_and_line_are_named(self):
        config = self.write("arm.yaml", "joints:\n  locked: {finger: 0}\n")
        self.assert_refused(["identify", "--robot", self.hand, "--log", self.log, "--config", config, "--out",
                             self.scratch / "none"], f"{config}:2: joints.locked", "unknown joint 'finger'")


class FloatingRoot(LockedTestCase):
    """A URDF as simulators write it: a floating joint from a massless world to the robot."""

    WORLD = '  <link name="world"/>\n  <joint name="float" type="floating"><parent link="world"/><child link="base"/></joint>\n'

    def setUp(self):
        super().setUp()
        arm = ARM.replace('<link name="base"/>', f'<link name="base">{inertial(8)}</link>')
        self.floating = self.write("floating.urdf", robot(self.WORLD, arm))
        self.without = self.write("without.urdf", robot(arm))

    def observe(self, path, *arguments):
        done = run_heft("observe", path, *arguments, "--json", self.scratch / "observe.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.scratch / "observe.json").read_text())

    def test_floating_base_takes_the_place_of_the_joint(self):
        self.assertEqual(self.observe(self.floating, "--floating"), self.observe(self.without, "--floating"))

    def test_world_may_be_fixed_below_another(self):
        self.floating.write_text(robot(
            '  <link name="map"/>\n  <joint name="m" type="fixed"><parent link="map"/><child link="world"/></joint>\n'
            + self.floating.read_text().split("\n", 1)[1].replace("</robot>\n", "")))
        self.assertEqual(self.observe(self.floating, "--floating"), self.observe(self.without, "--floating"))

    def test_world_with_mass_stays(self):
        self.floating.write_text(self.floating.read_text().replace('<link name="world"/>', f'<link name="world">{inertial(9)}</link>'))
        self.assertIn("float.x", json.dumps(self.observe(self.floating, "--floating")))

    def test_without_the_option_both_ways_out_are_named_and_work(self):
        command = ["identify", "--robot", self.floating, "--log", self.log, "--out", self.scratch / "none"]
        self.assert_refused(command, f"{self.log}:1",
                            "the log has columns for 2 of 3 joints; lock float at 0? add `joints: {locked: {float: 0}}`",
                            "if the base moves freely, set robot.floating_base: true")
        self.assert_refused([*command, "--robot.floating_base", "true"], f"{self.log}:1", "no column 'base_wx'")
        locked = self.identify("--joints.locked", "float", robot=self.floating, log=self.log, out="locked")
        self.assert_same_bodies(locked, self.identify(robot=self.without, log=self.log, out="without"))

    def test_planar_joint_is_named(self):
        self.floating.write_text(self.floating.read_text().replace('"floating"', '"planar"'))
        self.assert_refused(["identify", "--robot", self.floating, "--log", self.log, "--out", self.scratch / "none"],
                            f"{self.log}:1", "add `joints: {locked: {float: 0}}`", "'float' is a planar joint")

    def test_joint_of_several_coordinates_is_locked_at_its_origin_alone(self):
        self.assert_refused(["identify", "--robot", self.floating, "--log", self.log, "--out", self.scratch / "none",
                             "--joints.locked", "{float: 0.1}"], "--joints.locked",
                            "floating joint 'float' has more than one coordinate", "lock it at 0")
