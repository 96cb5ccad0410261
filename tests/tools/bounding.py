"""--estimation.bounding_ellipsoids: all mass of a body within an ellipsoid around its shapes, from the logs and again from the sums; bodies
without shapes, and missing meshes."""

import hashlib
import json
import pathlib
import re
import struct

from heft_program import ARM, HeftTestCase, demo_log, run_heft

WITH_COLLISION = ("--estimation.bounding_ellipsoids", "collision")


def second_moment_outside(body, ellipsoid):
    """E[(c - x)' Q^-1 (c - x)] - 1 over the body's mass: positive if some of it must lie outside the ellipsoid."""
    p = body["parameters"]
    m = p["m"]
    com = [p[key] / m for key in ("mcx", "mcy", "mcz")]
    trace = (p["Ixx"] + p["Iyy"] + p["Izz"]) / 2
    second = [[trace - p["Ixx"], -p["Ixy"], -p["Ixz"]], [-p["Ixy"], trace - p["Iyy"], -p["Iyz"]],
              [-p["Ixz"], -p["Iyz"], trace - p["Izz"]]]  # about the frame's origin: int x x' dm
    x = ellipsoid["centre"]
    mean = 0.0
    for axis, length in zip(ellipsoid["axes"], ellipsoid["semi_axes"]):
        spread = sum(axis[i] * axis[j] * second[i][j] / m for i in range(3) for j in range(3))
        along = sum(a * c for a, c in zip(axis, com))
        centre = sum(a * c for a, c in zip(axis, x))
        mean += (spread - 2 * along * centre + centre**2) / length**2
    return mean - 1


def cube_stl(half):
    """A cube as a binary STL."""
    corners = [[half if k >> axis & 1 else -half for axis in range(3)] for k in range(8)]
    faces = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2),
             (2, 4, 6), (1, 3, 5), (3, 7, 5)]
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *(c for k in face for c in corners[k]), 0) for face in faces)
    return b"\0" * 80 + struct.pack("<I", len(faces)) + body


class BoundingEllipsoids(HeftTestCase):
    def arm_with_meshes(self, uri, links=("forearm",), name="meshes.urdf"):
        """The demo arm with a mesh of `uri` instead of the cylinders of some links; returns its path."""
        text = pathlib.Path(ARM).read_text()
        for link in links:
            text = re.sub(rf'(<link name="{link}">.*?)<cylinder [^>]*/>', rf'\1<mesh filename="{uri}"/>', text, count=1,
                          flags=re.DOTALL)
        return self.write(name, text)

    def test_all_mass_can_lie_inside(self):
        # shapes so small that the answer must change
        text = re.sub(r'radius="([^"]*)"', lambda m: f'radius="{0.5 * float(m[1]):.4g}"', pathlib.Path(ARM).read_text())
        robot = self.write("thin.urdf", text)
        free = self.identify(robot=robot, out="free")
        bounded = self.identify(*WITH_COLLISION, robot=robot, out="bounded")
        self.assertNotIn("bounding_ellipsoids", free)
        ellipsoids = {entry["body"]: entry for entry in bounded["bounding_ellipsoids"]["bodies"]}
        self.assertEqual(set(ellipsoids), {body["name"] for body in bounded["bodies"]})
        outside = [second_moment_outside(body, ellipsoids[body["name"]]) for body in free["bodies"]]
        self.assertGreater(max(outside), 0.01, "without the constraint some mass must be outside")
        for body in bounded["bodies"]:
            self.assertLess(second_moment_outside(body, ellipsoids[body["name"]]), 1e-6, body["name"])
        self.assertEqual(bounded["status"], "certified")
        self.assertIn("around the collision shapes of 7 of 7 bodies", bounded["bounding_ellipsoids"]["words"][0])

    def test_ellipsoid_of_a_cylinder_with_margin(self):
        # the least ellipsoid of a cylinder: radius sqrt(3/2) r, half length sqrt(3) l/2; the prism stands off by 0.9 %
        text = pathlib.Path(ARM).read_text()
        radius, length = map(float, re.search(r'"shoulder">.*?radius="(.*?)" length="(.*?)"', text, re.DOTALL).groups())
        for margin in (0, 0.25):
            result = self.identify(*WITH_COLLISION, "--estimation.bounding_margin", margin)
            axes = result["bounding_ellipsoids"]["bodies"][0]["semi_axes"]
            expected = [(1 + margin) * value for value in (3**0.5 * length / 2, 1.5**0.5 * radius, 1.5**0.5 * radius)]
            for value, wanted in zip(axes, expected):
                self.assertAlmostEqual(value / wanted, 1, delta=0.012)

    def test_solve_again_from_the_sums(self):
        moments = self.scratch / "sums.heft"
        direct = self.identify(*WITH_COLLISION, "--moments", moments)
        plain = self.scratch / "plain.heft"
        self.identify("--moments", plain, out="plain")
        for arguments in ([moments], [plain, *WITH_COLLISION],
                          [plain, "--config", self.write("c.yaml", "estimation: {bounding_ellipsoids: collision}\n")]):
            done = run_heft("solve", *arguments, "--out", self.scratch / "again")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("all mass is confined to ellipsoids around the collision shapes of 7 of 7 bodies.", done.stdout)
            again = json.loads((self.scratch / "again" / "result.json").read_text())
            self.assertEqual(again["bodies"], direct["bodies"])
            self.assertEqual(again["bounding_ellipsoids"], direct["bounding_ellipsoids"])

    def test_bodies_without_shapes_are_named(self):
        text = pathlib.Path(ARM).read_text()
        for link in ("wrist", "elbow"):
            text = re.sub(rf'(<link name="{link}">.*?)<collision>.*?</collision>', r"\1", text, count=1, flags=re.DOTALL)
        result = self.identify(*WITH_COLLISION, robot=self.write("bare.urdf", text))
        self.assertEqual(result["bounding_ellipsoids"]["without_shapes"], ["elbow", "wrist"])
        self.assertEqual(result["bounding_ellipsoids"]["words"][:2],
                         ["all mass is confined to ellipsoids around the collision shapes of 5 of 7 bodies",
                          "not bounded because they have no shapes: elbow, wrist"])

    def test_reference_that_does_not_fit_is_said(self):
        text = re.sub(r'(<link name="forearm">.*?radius=")[^"]*', r"\g<1>0.001", pathlib.Path(ARM).read_text(),
                      count=1, flags=re.DOTALL)
        words = self.identify(*WITH_COLLISION, robot=self.write("pin.urdf", text))["bounding_ellipsoids"]["words"]
        self.assertTrue(any("does not fit into the ellipsoid of forearm" in word for word in words), words)

    def test_meshes_are_among_the_inputs(self):
        (self.scratch / "pkg").mkdir()
        mesh = self.write("pkg/cube.stl", cube_stl(0.1))
        robot = self.arm_with_meshes("package://pkg/cube.stl", ("forearm", "wrist"))
        inputs = self.identify(*WITH_COLLISION, robot=robot)["provenance"]["inputs"]
        digest = hashlib.sha256(mesh.read_bytes()).hexdigest()
        self.assertEqual([entry for entry in inputs if entry["sha256"] == digest], [{"path": str(mesh), "sha256": digest}])

    def test_missing_mesh(self):
        for uri in ("meshes/nowhere.stl", "package://nobody_knows/arm.stl"):
            robot = self.arm_with_meshes(uri)
            self.assert_refused(["identify", "--robot", robot, "--log", demo_log("train.csv"), *WITH_COLLISION, "--out",
                                 self.scratch / "out"],
                                f"{robot}: link 'forearm'", f"{uri}: cannot be found", "--package-path")

    def test_package_folder_from_flag_and_file(self):
        (self.scratch / "far" / "arm_description").mkdir(parents=True)
        self.write("far/arm_description/cube.stl", cube_stl(0.1))
        (self.scratch / "robots").mkdir()
        robot = self.arm_with_meshes("package://arm_description/cube.stl", name="robots/arm.urdf")
        config = self.write("c.yaml", "estimation: {bounding_ellipsoids: collision, package_folders: far}\n")
        by_file = self.identify("--config", config, robot=robot, out="file")
        by_flag = self.identify(*WITH_COLLISION, "--package-path", self.scratch / "far", robot=robot, out="flag")
        self.assertEqual(by_file["bodies"], by_flag["bodies"])
        twice = self.identify(*WITH_COLLISION, "--package-path", self.scratch / "it's not here", "--package-path",
                              self.scratch / "far", robot=robot, out="twice")
        self.assertEqual(twice["provenance"]["options"]["estimation"]["package_folders"],
                         [str(self.scratch / "it's not here"), str(self.scratch / "far")])

    def test_chosen_configuration_finds_the_meshes(self):
        (self.scratch / "far" / "arm_description").mkdir(parents=True)
        self.write("far/arm_description/cube.stl", cube_stl(0.1))
        (self.scratch / "robots").mkdir()
        robot = self.arm_with_meshes("package://arm_description/cube.stl", name="robots/arm.urdf")
        done = run_heft("identify", "--robot", robot, "--log", demo_log("train.csv"), *WITH_COLLISION, "--package-path",
                        "far", "--columns", "auto", "--out", "searched", cwd=self.scratch)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.identify("--config", self.scratch / "searched" / "chosen.yaml", robot=robot, out="again")
        self.assertEqual(again["bodies"], json.loads((self.scratch / "searched" / "result.json").read_text())["bodies"])

    def test_mesh_gone_when_solving_again(self):
        mesh = self.write("cube.stl", cube_stl(0.1))
        robot = self.arm_with_meshes("cube.stl")
        moments = self.scratch / "sums.heft"
        direct = self.identify(*WITH_COLLISION, "--moments", moments, robot=robot)
        mesh.unlink()
        done = run_heft("solve", moments, "--out", self.scratch / "again")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = json.loads((self.scratch / "again" / "result.json").read_text())
        self.assertEqual(again["bodies"], direct["bodies"])
        self.assertEqual(again["bounding_ellipsoids"], direct["bounding_ellipsoids"])
        # other ellipsoids than those in the file need the mesh
        self.assert_refused(["solve", moments, "--out", self.scratch / "wider", "--estimation.bounding_margin", "0.1"],
                            f"{robot}: link 'forearm'", "cube.stl: cannot be found", "--package-path")
        done = run_heft("solve", moments, "--out", self.scratch / "again", "--estimation.bounding_ellipsoids", "none")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_broken_mesh(self):
        self.write("cube.stl", cube_stl(0.1)[:200])
        robot = self.arm_with_meshes("cube.stl")
        self.assert_refused(["identify", "--robot", robot, "--log", demo_log("train.csv"), *WITH_COLLISION, "--out",
                             self.scratch / "out"],
                            f"{robot}: link 'forearm'", "is truncated", "export the mesh again")

    def test_needs_full_consistency(self):
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), *WITH_COLLISION,
                             "--estimation.consistency", "semi", "--out", self.scratch / "out"],
                            "--estimation.bounding_ellipsoids", "only physically consistent bodies", "consistency: full")

    def test_no_such_shapes(self):
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out", self.scratch / "out",
                             "--estimation.bounding_ellipsoids", "inertial"],
                            "--estimation.bounding_ellipsoids", "unknown choice 'inertial'", "one of: none, collision, visual")

    def test_margin_must_not_be_negative(self):
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out", self.scratch / "out",
                             *WITH_COLLISION, "--estimation.bounding_margin", "-0.1"],
                            "--estimation.bounding_margin", "must not be negative")

    def test_weights_and_columns_by_cross_validation_keep_the_bounds(self):
        result = self.identify(*WITH_COLLISION, "--prior-weight", "auto", "--columns", "auto",
                               "--estimation.loss", "huber")
        self.assertEqual(len(result["bounding_ellipsoids"]["bodies"]), 7)
        self.assertEqual(result["status"], "certified")


class NoMargin(HeftTestCase):
    """--estimation.margin 0: the optimum may lie on the boundary of physical consistency, and rounding must not move it beyond."""

    def test_short_noisy_logs_end_certified(self):
        for seed in (1, 2, 3):
            done = run_heft("simulate", "--robot", ARM, "--duration", 1, "--held-out", 1, "--torque-noise", 0.1, "--seed", seed,
                            "--out", self.scratch / "logs")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = self.identify("--estimation.margin", 0, "--estimation.bootstrap", 0,
                                   log=self.scratch / "logs" / "train.csv")
            self.assertEqual(result["status"], "certified")
            self.assertTrue(result["certificate"]["bodies_positive_definite"])
            self.assertGreater(min(result["certificate"]["psd_margin"]), 0)
            self.assertLess(min(result["certificate"]["psd_margin"]), 1e-9)  # on the boundary, or it would show nothing
            self.assertTrue((self.scratch / "result" / "identified.urdf").exists())
