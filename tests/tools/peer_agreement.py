"""identified.urdf in other programs: Pinocchio and MuJoCo load it unchanged and find the same inertias."""

import functools
import json
import os
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from heft_program import ARM, PARAMETERS, SOURCE, HeftTestCase, ask_peer, demo_log, run_heft

DATA = pathlib.Path(os.environ.get("HEFT_DATA", SOURCE.parent / "shared" / "data"))


class IdentifiedUrdfTestCase(HeftTestCase):
    def identify_arm(self):
        """result.json and the path of identified.urdf."""
        result = self.identify("--config", self.write("arm.yaml", "conditioning: {lowpass_hz: 12}\n"), "--validate",
                               demo_log("held_out.csv"))
        return result, self.scratch / "result" / "identified.urdf"

    def assert_same_inertias(self, result, found):
        """Both parts of a body, first moment and tensor, to 1e-9 of their size."""
        self.assertEqual(set(found), {body["joint"] for body in result["bodies"]})
        for body in result["bodies"]:
            ours = [body["parameters"][name] for name in PARAMETERS]
            for part in (slice(0, 1), slice(1, 4), slice(4, 10)):
                size = max(map(abs, ours[part]))
                for one, other in zip(ours[part], found[body["joint"]][part]):
                    self.assertAlmostEqual(one, other, delta=1e-9 * size, msg=body["name"])

    def assert_pinocchio_agrees(self, robot, result, urdf):
        before, after = ask_peer("pinocchio", robot), ask_peer("pinocchio", urdf)
        self.assert_same_inertias(result, after["inertias"])
        self.assertEqual(after["frames"], before["frames"])  # joints and fixed links are where they were
        self.assertEqual(after["limits"], before["limits"])

    def assert_mujoco_agrees(self, result, urdf):
        self.assert_same_inertias(result, ask_peer("mujoco", urdf)["inertias"])


class IdentifiedUrdf(IdentifiedUrdfTestCase):
    def test_loads_in_pinocchio(self):
        self.assert_pinocchio_agrees(ARM, *self.identify_arm())

    def test_loads_in_mujoco(self):
        result, urdf = self.identify_arm()
        self.assert_mujoco_agrees(result, urdf)
        self.assertEqual(ask_peer("mujoco", urdf)["limits"], ask_peer("mujoco", ARM)["limits"])

    def test_all_but_inertials_and_friction_is_kept(self):
        _, urdf = self.identify_arm()

        def skeleton(path):
            tree = ElementTree.parse(path, ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True)))
            for link in tree.iter("link"):
                for inertial in link.findall("inertial"):
                    link.remove(inertial)
            for joint in tree.iter("joint"):
                for dynamics in joint.findall("dynamics"):
                    joint.remove(dynamics)
            for comment in [element for element in tree.getroot() if (element.text or "").startswith(" heft: ")]:
                tree.getroot().remove(comment)
            return [(str(element.tag), element.attrib, (element.text or "").strip()) for element in tree.iter()]

        self.assertEqual(skeleton(urdf), skeleton(ARM))

    def test_merged_link_gives_its_inertia_to_the_link_that_carries_it(self):
        _, urdf = self.identify_arm()
        links = {link.get("name"): link for link in ElementTree.parse(urdf).iter("link")}
        self.assertEqual(float(links["gripper"].find("inertial/mass").get("value")), 0)  # it has a shape
        self.assertIsNotNone(links["flange"].find("inertial"))

    def test_identified_again_it_is_its_own_prior(self):
        result, urdf = self.identify_arm()
        again = self.identify(robot=urdf, out="again")
        for body, same in zip(result["bodies"], again["bodies"]):
            size = max(abs(value) for value in body["parameters"].values())
            for name in PARAMETERS:
                self.assertAlmostEqual(body["parameters"][name], same["prior"][name], delta=1e-12 * size)


@functools.lru_cache(maxsize=None)
def identified_folder(robot, logs, validation, configuration):
    """A folder with the output of `heft identify`, made once for all tests of this process."""
    folder = tempfile.TemporaryDirectory(prefix="heft-real-")
    arguments = ["identify", "--robot", robot, "--config", configuration, "--out", folder.name]
    for log in logs:
        arguments += ["--log", log]
    done = run_heft(*arguments, "--validate", validation)
    if done.returncode != 0:
        raise AssertionError(f"heft identify failed: {done.stderr}")
    return folder  # kept alive by the cache, removed when the process ends


class RealLogs(IdentifiedUrdfTestCase):
    """The robots of bench/real_logs, which checks their figures: other programs load the identified robots."""

    def identify_real(self, name, logs, validation):
        folder = DATA / name
        if not folder.is_dir():
            raise unittest.SkipTest(f"{folder} is not there: set HEFT_DATA to the folder of the real logs")
        robot = folder / "robot.urdf"
        identified = pathlib.Path(identified_folder(robot, tuple(folder / log for log in logs), folder / validation,
                                                    SOURCE / "bench" / "real_logs" / f"{name}.yaml").name)
        result = json.loads((identified / "result.json").read_text())
        self.assertEqual(result["status"], "certified")
        return robot, result, identified / "identified.urdf"

    FRANKA = ("franka_panda", ["log_train.csv"], "log_valid.csv")
    KUKA = ("kuka_kr300", ["log_train_A.csv", "log_train_B.csv"], "log_valid_C.csv")
    STAUBLI = ("staubli_tx40", ["log_train.csv"], "log_valid.csv")

    def test_franka_in_pinocchio(self):
        self.assert_pinocchio_agrees(*self.identify_real(*self.FRANKA))

    def test_kuka_in_pinocchio(self):
        self.assert_pinocchio_agrees(*self.identify_real(*self.KUKA))

    def test_staubli_in_pinocchio(self):
        self.assert_pinocchio_agrees(*self.identify_real(*self.STAUBLI))

    def test_franka_in_mujoco(self):
        self.assert_mujoco_agrees(*self.identify_real(*self.FRANKA)[1:])

    def test_kuka_in_mujoco(self):
        self.assert_mujoco_agrees(*self.identify_real(*self.KUKA)[1:])

    def test_staubli_in_mujoco(self):
        self.assert_mujoco_agrees(*self.identify_real(*self.STAUBLI)[1:])
