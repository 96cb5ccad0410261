"""<dynamics> of identified.urdf: the identified friction, and a list of what a URDF cannot express."""

import json
import math
import random
import re
import xml.etree.ElementTree as ElementTree

from heft_program import ARM, JOINTS, HeftTestCase, ask_peer, demo_log, run_heft

DAMPING = [2.0 + 0.3 * k for k in range(7)]
FRICTION = [1.5 - 0.1 * k for k in range(7)]
SHARP = "columns: [viscous, {coulomb: {tanh_width: 0.01}}]\nconditioning: {filter: none, velocity: logged, trim: 0, dead_band: 0.3}\n"
FAST = 0.3  # rad/s, thirty widths of the tanh; dry friction of MuJoCo is soft below


def states(seconds=6.0, rate=100, phase=0.0):
    """t, q, qd, qdd of all joints: sums of two sines."""
    rows = []
    for i in range(int(seconds * rate)):
        t = i / rate
        q, qd, qdd = [], [], []
        for k in range(7):
            parts = [(0.5, 0.9 + 0.17 * k, 1.1 * k + phase), (0.25, 2.3 + 0.29 * k, 0.4 * k + 2 * phase)]
            q.append(sum(a * math.sin(w * t + p) for a, w, p in parts))
            qd.append(sum(a * w * math.cos(w * t + p) for a, w, p in parts))
            qdd.append(sum(-a * w * w * math.sin(w * t + p) for a, w, p in parts))
        rows.append((t, q, qd, qdd))
    return rows


def with_dynamics(text, damping=DAMPING, friction=FRICTION):
    """The demo arm with friction in its file."""
    for joint, d, f in zip(JOINTS, damping, friction):
        text = re.sub(rf'(<joint name="{joint}"[^>]*>)', rf'\1<dynamics damping="{d}" friction="{f}"/>', text)
    return text


def dynamics_of(path):
    return {joint.get("name"): {key: float(value) for key, value in joint.find("dynamics").attrib.items()}
            for joint in ElementTree.parse(path).iter("joint") if joint.find("dynamics") is not None}


def without(text, *elements):
    """The bytes of a file without these elements, Heft's comment, and blanks."""
    for element in elements:
        text = re.sub(rf"<{element}\b.*?(/>|</{element}>)" if element == "dynamics" else rf"<{element}\b.*?</{element}>", "",
                      text, flags=re.DOTALL)
    return "".join(re.sub(r"<!-- heft: .*?-->", "", text, flags=re.DOTALL).split())


class IdentifiedDynamics(HeftTestCase):
    def urdf_and_result(self, *arguments, out="result", **options):
        result = self.identify("--estimation.bootstrap", 0, *arguments, out=out, **options)
        return self.scratch / out / "identified.urdf", result

    def log_of_mujoco(self, urdf, name, rows):
        torques = ask_peer("mujoco_torques", urdf, self.write("states.json", json.dumps([row[1:] for row in rows])))
        header = ["t", *(f"{kind}_{joint}" for kind in ("q", "qd", "qdd", "tau") for joint in JOINTS)]
        lines = [",".join(header)]
        noise = random.Random(1)
        lines += [",".join(map(repr, (t, *q, *qd, *qdd, *(x + noise.gauss(0, 0.05) for x in tau))))
                  for (t, q, qd, qdd), tau in zip(rows, torques)]
        return self.write(name, "\n".join(lines) + "\n")

    def test_mujoco_feels_what_heft_predicts(self):
        truth = self.write("truth.urdf", with_dynamics(open(ARM).read()))
        log = self.log_of_mujoco(truth, "train.csv", states())
        rows = states(seconds=2, phase=0.7)
        held_out = self.log_of_mujoco(truth, "held_out.csv", rows)
        urdf, _ = self.urdf_and_result("--config", self.write("arm.yaml", SHARP), log=log)
        for k, joint in enumerate(JOINTS):
            found = dynamics_of(urdf)[joint]
            self.assertAlmostEqual(found["damping"], DAMPING[k], delta=0.05 * DAMPING[k])
            self.assertAlmostEqual(found["friction"], FRICTION[k], delta=0.1 * FRICTION[k])
        done = run_heft("predict", "--model", self.scratch / "result", "--log", held_out, "--out", self.scratch / "p.csv")
        self.assert_done(done)
        header, *lines = (self.scratch / "p.csv").read_text().splitlines()
        columns = [header.split(",").index(f"predicted_{joint}") for joint in JOINTS]
        predicted = {round(float(line.split(",")[0]), 6): [float(line.split(",")[c]) for c in columns] for line in lines}
        torques = ask_peer("mujoco_torques", urdf, self.write("states.json", json.dumps([row[1:] for row in rows])))
        compared = 0
        for (t, _, qd, _), tau in zip(rows, torques):
            for k in range(7):
                if round(t, 6) in predicted and abs(qd[k]) > FAST:
                    compared += 1
                    self.assertAlmostEqual(predicted[round(t, 6)][k], tau[k], delta=1e-5 * max(1, abs(tau[k])))
        self.assertGreater(compared, 500)

    def test_friction_takes_the_place_of_the_files(self):
        robot = self.write("arm.urdf", with_dynamics(open(ARM).read()))
        urdf, result = self.urdf_and_result(robot=robot)
        values = {column["name"]: column["value"] for column in result["columns"]}
        for joint in JOINTS:
            self.assertEqual(dynamics_of(urdf)[joint],
                             {"damping": values[f"viscous {joint}"], "friction": values[f"coulomb {joint}"]})
        self.assertEqual(without(urdf.read_text(), "dynamics", "inertial"), without(robot.read_text(), "dynamics", "inertial"))

    def test_pinocchio_and_mujoco_read_it(self):
        urdf, result = self.urdf_and_result()
        values = {column["name"]: column["value"] for column in result["columns"]}
        for peer in ("pinocchio", "mujoco"):
            found = ask_peer(peer, urdf)["dynamics"]
            for joint in JOINTS:
                with self.subTest(f"{peer} {joint}"):
                    self.assertEqual(found[joint], {"damping": values[f"viscous {joint}"], "friction": values[f"coulomb {joint}"]})

    def test_file_without_friction_gets_it(self):
        urdf, _ = self.urdf_and_result()
        self.assertEqual(set(dynamics_of(urdf)), set(JOINTS))
        self.assertEqual(without(urdf.read_text(), "dynamics", "inertial"), without(open(ARM).read(), "dynamics", "inertial"))

    def test_keep_dynamics_leaves_the_tag(self):
        robot = self.write("arm.urdf", with_dynamics(open(ARM).read()))
        for k, arguments in enumerate((["--keep-dynamics"], ["--estimation.keep_dynamics", "true"])):
            urdf, result = self.urdf_and_result(*arguments, robot=robot, out=f"kept{k}")
            self.assertEqual(dynamics_of(urdf), dynamics_of(robot))
            self.assertEqual(result["robot_file"]["dynamics"], "kept")
            self.assertTrue(any(text.startswith("viscous joint_1: ") for text in result["robot_file"]["not_expressed"]))

    def test_joints_without_friction_columns_keep_theirs(self):
        robot = self.write("arm.urdf", with_dynamics(open(ARM).read()))
        config = self.write("arm.yaml", "columns: [viscous: {joints: [joint_2]}, offset]\n")
        urdf, _ = self.urdf_and_result("--config", config, robot=robot)
        found, before = dynamics_of(urdf), dynamics_of(robot)
        self.assertEqual({joint: found[joint] for joint in JOINTS if joint != "joint_2"},
                         {joint: before[joint] for joint in JOINTS if joint != "joint_2"})
        self.assertEqual(found["joint_2"]["friction"], 0)  # the model of joint_2 has no Coulomb friction

    def test_what_a_urdf_cannot_express_is_listed(self):
        config = self.write("arm.yaml", """\
columns:
  - default
  - reflected_inertia: {joints: [joint_3]}
  - expression: {name: drag -- of oil, unit: N m s^2/rad^2, each_joint: qd*abs(qd), joints: [joint_4]}
known_torque: {joint_2: 0.1*cos(q2)}
""")
        urdf, result = self.urdf_and_result("--config", config)
        self.assertEqual(result["robot_file"]["dynamics"], "identified")
        texts = result["robot_file"]["not_expressed"]
        for begin in ("offset joint_1: ", "reflected_inertia joint_3: ", "drag -- of oil joint_4: ",
                      "known torque of joint_2: 0.1*cos(q2)", "coulomb near standstill: tanh(qd / 0.05)"):
            self.assertEqual(sum(text.startswith(begin) for text in texts), 1, begin)
        comment = re.search(r"<!-- heft: (.*?)-->", urdf.read_text(), re.DOTALL).group(1)
        self.assertIn("reflected_inertia joint_3: ", comment)
        ElementTree.parse(urdf)  # no "--" in the comment

    def test_identified_again_it_has_one_comment(self):
        urdf, _ = self.urdf_and_result()
        again, _ = self.urdf_and_result(robot=urdf, out="again")
        self.assertEqual(again.read_text().count("<!-- heft: "), 1)
        config = self.write("arm.yaml", "columns: [viscous, coulomb: {tanh_width: 0}]\n")
        third, result = self.urdf_and_result("--config", config, robot=again, out="third")
        self.assertEqual(result["robot_file"]["not_expressed"], [])
        self.assertEqual(third.read_text().count("<!-- heft: "), 0)

    def test_negative_friction_is_not_written(self):
        # torques that push: friction of the wrong sign, which least squares finds
        log = self.write("train.csv", self.log_with_negative_damping())
        config = self.write("arm.yaml", SHARP)
        result = self.identify("--estimation.solver", "wls", "--config", config, log=log, exit_code=0)
        if "robot_file" not in result:
            self.skipTest("least squares found impossible bodies: there is no identified.urdf")
        self.assertTrue(any("negative: written as 0" in text for text in result["robot_file"]["not_expressed"]))
        self.assertTrue(all(value >= 0 for joint in dynamics_of(self.scratch / "result" / "identified.urdf").values()
                            for value in joint.values()))

    def log_with_negative_damping(self):
        rows = states()
        torques = ask_peer("mujoco_torques", ARM, self.write("states.json", json.dumps([row[1:] for row in rows])))
        lines = [",".join(["t", *(f"{kind}_{joint}" for kind in ("q", "qd", "qdd", "tau") for joint in JOINTS)])]
        for (t, q, qd, qdd), tau in zip(rows, torques):
            lines.append(",".join(map(repr, (t, *q, *qd, *qdd, *(a - v for a, v in zip(tau, qd))))))
        return "\n".join(lines) + "\n"


MIMIC = """\
<robot name="pair">
  <link name="base"/>
  <joint name="lead" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="60" velocity="3"/>{lead}</joint>
  <link name="one"><inertial><origin xyz="0 0 0.2"/><mass value="3"/><inertia ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.01"/></inertial></link>
  <joint name="follow" type="revolute"><parent link="base"/><child link="two"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="60" velocity="3"/>{follow}<mimic joint="lead" multiplier="2"/></joint>
  <link name="two"><inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
</robot>
"""


class MimicDynamics(HeftTestCase):
    """The coordinate has the friction of both joints: damping lead + 4 follow, friction lead + 2 follow."""

    def dynamics(self, lead, follow):
        robot = self.write("pair.urdf", MIMIC.format(lead=lead, follow=follow))
        done = run_heft("simulate", "--robot", robot, "--duration", 3, "--held-out", 1, "--out", self.scratch / "logs")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.identify(robot=robot, log=self.scratch / "logs" / "train.csv")
        values = {column["name"]: column["value"] for column in result["columns"]}
        return dynamics_of(self.scratch / "result" / "identified.urdf"), values["viscous lead"], values["coulomb lead"]

    def test_joints_share_as_they_did(self):
        found, viscous, coulomb = self.dynamics('<dynamics damping="0.4" friction="0.3"/>', '<dynamics damping="0.1" friction="0.15"/>')
        lead, follow = found["lead"], found["follow"]
        self.assertAlmostEqual(lead["damping"] + 4 * follow["damping"], viscous, delta=1e-12 * viscous)
        self.assertAlmostEqual(lead["friction"] + 2 * follow["friction"], coulomb, delta=1e-12 * coulomb)
        self.assertAlmostEqual(follow["damping"] / lead["damping"], 0.25)

    def test_leader_takes_all_where_the_file_has_none(self):
        found, viscous, coulomb = self.dynamics("", "")
        self.assertEqual(found, {"lead": {"damping": viscous, "friction": coulomb}})
