"""convert-robot: bodies of URDF, MJCF and USD compared with MuJoCo's compiled model, Pixar's mass computation and point masses."""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import heft_robot as heft
from conftest import ARM, PENDULUM, SOURCE, run_program
from heft_robot.__main__ import convert_robot as main
from heft_robot.robot_files import convert_robot

ROBOT = """<robot name="two links">
  <link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="3"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial>
    <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="arm"><inertial><origin xyz="0.11 -0.02 0.03" rpy="0.3 -0.4 1.2"/><mass value="1.25"/>
    <inertia ixx="0.011" ixy="0.001" ixz="-0.002" iyy="0.013" iyz="0.0015" izz="0.009"/></inertial>
    <visual><origin xyz="0.1 0 0" rpy="0 1.5707963267948966 0"/><geometry><box size="0.02 0.03 0.2"/></geometry></visual>
    <visual><geometry><mesh filename="package://nowhere/arm.dae"/></geometry></visual></link>
  <link name="tool"><inertial><mass value="0.4"/><inertia ixx="0.0004" ixy="0" ixz="0" iyy="0.0005" iyz="0" izz="0.0006"/></inertial></link>
  <link name="tip"/>
  <link name="slider"><inertial><origin xyz="0 0.05 0"/><mass value="0.7"/>
    <inertia ixx="0.001" ixy="0.0001" ixz="0" iyy="0.002" iyz="0" izz="0.0015"/>
    </inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0.1 0.2" rpy="0.1 0.2 0.3"/><axis xyz="0 0.6 -0.8"/>
    <limit lower="-1.5" upper="2" velocity="3" effort="40"/><dynamics damping="0.7" friction="0.25"/></joint>
  <joint name="flange" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0.3 0 0" rpy="0 0 0.5"/></joint>
  <joint name="to tip" type="fixed"><parent link="tool"/><child link="tip"/><origin xyz="0 0 0.05"/></joint>
  <joint name="rail" type="prismatic"><parent link="tool"/><child link="slider"/><origin xyz="0 0.02 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.2" velocity="1" effort="100"/><mimic joint="shoulder" multiplier="0.1" offset="0.02"/></joint>
  <transmission name="drive"><type>transmission_interface/SimpleTransmission</type><joint name="shoulder"/>
    <actuator name="motor"><drake:rotor_inertia value="2e-5"/><drake:gear_ratio value="100"/></actuator></transmission>
</robot>
"""


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    return path


def elementary(axis, angle):
    """Rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def bodies_of(text):
    """Mass, com, and tensor about it in the link's axes, of every link with mass; from elementary rotations, without Heft's code."""
    text = text.replace("drake:", "")
    found = {}
    for link in ElementTree.fromstring(text).findall("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        origin, tensor = inertial.find("origin"), inertial.find("inertia").attrib
        roll, pitch, yaw = map(float, (origin.get("rpy", "0 0 0") if origin is not None else "0 0 0").split())
        R = elementary(2, yaw) @ elementary(1, pitch) @ elementary(0, roll)
        t = {key: float(value) for key, value in tensor.items()}
        I = np.array([[t["ixx"], t["ixy"], t["ixz"]], [t["ixy"], t["iyy"], t["iyz"]], [t["ixz"], t["iyz"], t["izz"]]])
        xyz = (origin.get("xyz", "0 0 0") if origin is not None else "0 0 0").split()
        found[link.get("name")] = (float(inertial.find("mass").get("value")), np.array(xyz, dtype=float), R @ I @ R.T)
    return found


def compiled_body(mujoco, model, name):
    """mass, com and tensor of MuJoCo's compiled body, in its frame."""
    at, R = model.body(name).id, np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[at])
    R = R.reshape(3, 3)
    return model.body_mass[at], model.body_ipos[at], R @ np.diag(model.body_inertia[at]) @ R.T


def same(a, b, tolerance=1e-12):
    return abs(a[0] - b[0]) <= tolerance * b[0] and np.abs(a[1] - b[1]).max() <= tolerance and \
        np.abs(a[2] - b[2]).max() <= tolerance * np.abs(b[2]).max()


def test_urdf_to_mjcf(robot, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    notes = " ".join(convert_robot(robot, tmp_path / "robot.xml"))
    assert "velocity limits: those of shoulder, rail" in notes and "arm.dae of link 'arm', which was not found" in notes
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    for name, body in bodies_of(ROBOT).items():
        assert same(compiled_body(mujoco, model, name), body), name
    joint = model.joint("shoulder")
    assert joint.limited[0] and np.array_equal(joint.range, [-1.5, 2]) and np.allclose(joint.axis, [0, 0.6, -0.8], atol=1e-16)
    assert joint.damping[0] == 0.7 and joint.frictionloss[0] == 0.25 and np.isclose(joint.armature[0], 0.2, rtol=1e-15)
    assert model.jnt_actfrclimited[joint.id] and np.array_equal(model.jnt_actfrcrange[joint.id], [-40, 40])
    assert model.neq == 1 and np.array_equal(model.eq_data[0, :5], [0.02, 0.1, 0, 0, 0])
    assert {model.body(i).name for i in range(model.nbody)} == {"world", "base", "arm", "tool", "tip", "slider"}


def test_mass_matrix(robot, tmp_path):
    """M of the compiled model equals sums over every body's Jacobian, from the URDF's numbers."""
    mujoco = pytest.importorskip("mujoco")
    convert_robot(robot, tmp_path / "robot.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data, bodies = mujoco.MjData(model), bodies_of(ROBOT)
    for seed in range(5):
        data.qpos[:] = np.random.default_rng(seed).uniform(-1, 1, 2)
        mujoco.mj_forward(model, data)
        M = np.zeros((2, 2))
        mujoco.mj_fullM(model, data, M) if mujoco.__version__ >= "3.5" else mujoco.mj_fullM(model, M, data.qM)
        q1, q2 = data.qpos
        # kinematics by hand: shoulder about (0, 0.6, -0.8), the rail along x of the tool
        a = np.array([0, 0.6, -0.8])
        K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
        R1 = elementary(2, 0.3) @ elementary(1, 0.2) @ elementary(0, 0.1) @ (np.eye(3) + np.sin(q1) * K + (1 - np.cos(q1)) * K @ K)
        R2, at_tool = R1 @ elementary(2, 0.5), R1 @ [0.3, 0, 0]
        along, w = R2[:, 0], elementary(2, 0.3) @ elementary(1, 0.2) @ elementary(0, 0.1) @ a
        expected = np.diag([0.2, 0.0])  # the rotor
        places = {"arm": (R1, np.zeros(3), 0), "tool": (R2, at_tool, 0), "slider": (R2, at_tool + R2 @ [q2, 0.02, 0], 1)}
        for name, (R, origin, slides) in places.items():
            mass, com, tensor = bodies[name]
            J = np.stack([np.cross(w, origin + R @ com), slides * along], 1)
            turn = np.stack([w, 0 * w], 1)
            expected += mass * J.T @ J + turn.T @ R @ tensor @ R.T @ turn
        assert np.abs(M - expected).max() < 1e-13


def test_round_trip(robot, tmp_path):
    pytest.importorskip("mujoco")
    convert_robot(robot, tmp_path / "robot.xml")
    convert_robot(tmp_path / "robot.xml", tmp_path / "back.urdf")
    text = (tmp_path / "back.urdf").read_text()
    back = bodies_of(text)
    for name, body in bodies_of(ROBOT).items():
        assert same(back[name], body), name
    joints = {joint.get("name"): joint for joint in ElementTree.fromstring(text).findall("joint")}
    limit, mimic = joints["shoulder"].find("limit").attrib, joints["rail"].find("mimic").attrib
    assert float(limit["lower"]) == -1.5 and float(limit["upper"]) == 2 and float(limit["effort"]) == 40
    assert mimic == {"joint": "shoulder", "multiplier": "0.1", "offset": "0.02"}
    assert float(joints["shoulder"].find("dynamics").get("damping")) == 0.7
    rotor = ElementTree.fromstring(text).find("transmission/actuator/{https://drake.mit.edu}rotor_inertia")
    assert np.isclose(float(rotor.get("value")), 0.2, rtol=1e-15)
    heft.Robot.from_urdf(tmp_path / "back.urdf")


def test_massless_links_become_joints(tmp_path):
    """Links that only carry the next joint: MuJoCo refuses them as bodies."""
    mujoco = pytest.importorskip("mujoco")
    inertial = ('<inertial><origin xyz="0.1 0 0.2"/><mass value="1"/>'
                '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>')
    limit = '<limit lower="-2" upper="2" velocity="1" effort="1"/>'
    text = f"""<robot name="hip"><link name="base"/><link name="yaw"/><link name="roll"/><link name="leg">{inertial}</link>
      <joint name="j1" type="revolute"><parent link="base"/><child link="yaw"/>
        <origin xyz="0 0 1" rpy="0.2 0 0"/><axis xyz="0 0 1"/>{limit}</joint>
      <joint name="j2" type="revolute"><parent link="yaw"/><child link="roll"/>
        <origin xyz="0.3 0 0" rpy="0 0.4 0"/><axis xyz="1 0 0"/>{limit}</joint>
      <joint name="j3" type="revolute"><parent link="roll"/><child link="leg"/>
        <origin xyz="0 0.2 0" rpy="0 0 0.7"/><axis xyz="0 1 0"/>{limit}</joint>
      </robot>"""
    (tmp_path / "hip.urdf").write_text(text)
    notes = convert_robot(tmp_path / "hip.urdf", tmp_path / "hip.xml")
    assert any("yaw, roll became joints of the next body" in note for note in notes)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "hip.xml"))
    data = mujoco.MjData(model)
    data.qpos[:] = q = np.array([0.5, -0.7, 1.1])
    mujoco.mj_forward(model, data)
    R, p = elementary(0, 0.2) @ elementary(2, q[0]), np.array([0, 0, 1.0])
    p, R = p + R @ [0.3, 0, 0], R @ elementary(1, 0.4) @ elementary(0, q[1])
    p, R = p + R @ [0, 0.2, 0], R @ elementary(2, 0.7) @ elementary(1, q[2])
    assert np.abs(data.xpos[model.body("leg").id] - p).max() < 1e-14
    assert np.abs(data.xmat[model.body("leg").id].reshape(3, 3) - R).max() < 1e-14


def test_free_base(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "drone.urdf").write_text(re.sub(r"<joint.*", "</robot>", PENDULUM.replace('<link name="base"/>', ""), flags=re.DOTALL))
    with pytest.raises(heft.HeftError, match="moving joint"):
        convert_robot(tmp_path / "drone.urdf", tmp_path / "drone.xml")
    convert_robot(tmp_path / "drone.urdf", tmp_path / "drone.xml", floating_base=True)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "drone.xml"))
    assert model.nv == 6 and model.body_mass[1] == 1.5


@pytest.mark.parametrize("change, match", [
    (('izz="0.0006"', 'izz="0.006"'), "link 'tool' has moments of inertia"),
    (('<mass value="0.4"/>', '<mass value="-0.4"/>'), "negative"),
    (('type="prismatic"', 'type="planar"'), "planar"),
    (('friction="0.25"', 'friction="-0.25"'), "negative damping, friction"),
    (('<origin xyz="0 0.05 0"/><mass value="0.7"/>', '<mass value="0"/>'), "moves without mass"),
])
def test_refusals(robot, tmp_path, change, match):
    text = robot.read_text()
    assert change[0] in text
    robot.write_text(text.replace(*change))
    with pytest.raises(heft.HeftError, match=match) as error:
        convert_robot(robot, tmp_path / "robot.xml")
    assert error.value.remedy and not (tmp_path / "robot.xml").exists() and not list(tmp_path.glob("*.partial*"))


def test_command_line(robot, tmp_path, capsys):
    done = run_program("convert-robot", robot, tmp_path / "robot.xml")
    assert done.returncode == 0 and done.stdout == "" and "note: MJCF has no velocity limits" in done.stderr
    assert main([]) == 105 and main(["--help"]) == 0
    (tmp_path / "text.urdf").write_text("not XML")
    for words, match in (([robot, "robot.obj"], "unknown ending"), ([robot, "other.urdf"], "already"),
                         (["none.urdf", "robot.xml"], "cannot be read"),
                         ([ARM, "no/arm.xml"], "does not exist"), (["text.urdf", "robot.xml"], "is not XML")):
        capsys.readouterr()
        assert main([str(tmp_path / word) for word in words]) == 1
        assert match in (said := capsys.readouterr().err) and "remedy:" in said, said


def pose_of(prim):
    """Rotation and position of a prim in the stage."""
    from pxr import UsdGeom

    matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0)).T
    return matrix[:3, :3], matrix[:3, 3]


def turned(quaternion):
    """Returns the rotation matrix of a quaternion, from rotated unit vectors."""
    from pxr import Gf

    rotation = Gf.Quatd(quaternion).GetNormalized()
    return np.stack([np.array(rotation.Transform(Gf.Vec3d(*unit))) for unit in np.eye(3)], 1)


def test_usd(robot, tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom, UsdPhysics

    notes = " ".join(convert_robot(robot, tmp_path / "robot.usda"))
    assert "32-bit" in notes and "meshes (1)" in notes and "two links became two_links" in notes
    stage = Usd.Stage.Open(str(tmp_path / "robot.usda"))
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1 and UsdPhysics.GetStageKilogramsPerUnit(stage) == 1
    for name, (mass, com, tensor) in bodies_of(ROBOT).items():
        prim = stage.GetPrimAtPath(f"/two_links/{name}")
        api = UsdPhysics.MassAPI(prim)
        R = turned(api.GetPrincipalAxesAttr().Get())
        read = R @ np.diag(np.array(api.GetDiagonalInertiaAttr().Get())) @ R.T
        assert same((api.GetMassAttr().Get(), np.array(api.GetCenterOfMassAttr().Get()), read), (mass, com, tensor), 3e-7), name
        xx, yy, zz, xy, xz, yz = prim.GetAttribute("newton:inertia").Get()
        assert np.abs(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - tensor).max() <= 1e-15
        m, *first, Ixx, Ixy, Iyy, Ixz, Iyz, Izz = prim.GetAttribute("heft:parameters").Get()
        assert m == mass and np.abs(np.array(first) - mass * com).max() <= 1e-15
        about_origin = tensor + mass * (com @ com * np.eye(3) - np.outer(com, com))
        assert np.abs(np.array([[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]]) - about_origin).max() <= 1e-15
        assert {"PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"} <= set(prim.GetMetadata("apiSchemas").GetAppliedItems())
    assert not stage.GetPrimAtPath("/two_links/tool/tip").HasAPI(UsdPhysics.RigidBodyAPI)


def test_usd_joints(robot, tmp_path):
    """Units of UsdPhysics, Newton and PhysX; both frames of a joint coincide at rest."""
    pytest.importorskip("pxr")
    from pxr import Usd, UsdPhysics

    convert_robot(robot, tmp_path / "robot.usda")
    stage = Usd.Stage.Open(str(tmp_path / "robot.usda"))
    shoulder, rail = (stage.GetPrimAtPath(f"/two_links/joints/{name}") for name in ("shoulder", "rail"))
    revolute = UsdPhysics.RevoluteJoint(shoulder)
    limits = [revolute.GetLowerLimitAttr().Get(), revolute.GetUpperLimitAttr().Get()]
    assert np.allclose(limits, np.rad2deg([-1.5, 2]))
    values = {name: shoulder.GetAttribute(name).Get() for name in (
        "newton:damping", "newton:friction", "newton:armature", "newton:velocityLimit", "physxJoint:maxJointVelocity",
        "drive:angular:physics:maxForce")}
    assert np.allclose(list(values.values()), [0.7 * np.pi / 180, 0.25, 0.2, np.rad2deg(3), np.rad2deg(3), 40])
    assert np.isclose(UsdPhysics.PrismaticJoint(rail).GetUpperLimitAttr().Get(), 0.2)
    assert np.isclose(rail.GetAttribute("newton:mimicCoef1").Get(), 0.1) and np.isclose(rail.GetAttribute("newton:mimicCoef0").Get(), 0.02)
    assert rail.GetRelationship("newton:mimicJoint").GetTargets() == [shoulder.GetPath()]
    for prim in stage.GetPrimAtPath("/two_links/joints").GetChildren():
        joint, frames = UsdPhysics.Joint(prim), []
        for rel, position, rotation in ((joint.GetBody0Rel(), joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr()),
                                        (joint.GetBody1Rel(), joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr())):
            targets = rel.GetTargets()
            R, p = pose_of(stage.GetPrimAtPath(targets[0])) if targets else (np.eye(3), np.zeros(3))
            frames.append((R @ turned(rotation.Get()), p + R @ np.array(position.Get())))
        assert np.abs(frames[0][0] - frames[1][0]).max() < 1e-6 and np.abs(frames[0][1] - frames[1][1]).max() < 1e-6, prim.GetName()
        if prim == shoulder:
            axis = np.eye(3)["XYZ".index(revolute.GetAxisAttr().Get())]
            expected = elementary(2, 0.3) @ elementary(1, 0.2) @ elementary(0, 0.1) @ [0, 0.6, -0.8]
            assert np.abs(frames[0][0] @ axis - expected).max() < 1e-6


def test_usd_mass_computation(robot, tmp_path):
    """UsdPhysics' own computation over the body finds the authored values."""
    pytest.importorskip("pxr")
    from pxr import Usd, UsdPhysics

    convert_robot(robot, tmp_path / "robot.usda")
    stage = Usd.Stage.Open(str(tmp_path / "robot.usda"))
    body = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/two_links/base"))
    mass, inertia, com, axes = body.ComputeMassProperties(lambda prim: UsdPhysics.RigidBodyAPI.MassInformation())
    assert np.isclose(mass, 3) and np.allclose(com, [0, 0, 0.1]) and np.allclose(inertia, [0.02, 0.02, 0.03]) and axes.GetReal() == 1


def test_usd_from_mjcf(tmp_path):
    pytest.importorskip("pxr")
    pytest.importorskip("mujoco")
    from pxr import Usd, UsdPhysics

    (tmp_path / "ball.xml").write_text("""<mujoco><worldbody>
      <body name="ball" pos="0 0 1"><freejoint/><geom size="0.1" density="1000"/>
        <body name="rod" pos="0.1 0 0"><joint name="hinge" axis="0 1 0" armature="0.03"/>
          <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.2"/></body></body></worldbody></mujoco>""")
    convert_robot(tmp_path / "ball.xml", tmp_path / "ball.usda")
    stage = Usd.Stage.Open(str(tmp_path / "ball.usda"))
    prims = {prim.GetName(): prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    assert np.isclose(prims["ball"].GetAttribute("physics:mass").Get(), 1000 * 4 / 3 * np.pi * 0.1**3)
    hinge = next(prim for prim in stage.Traverse() if prim.GetName() == "hinge")
    assert np.isclose(hinge.GetAttribute("newton:armature").Get(), 0.03)
    assert not any(prim.IsA(UsdPhysics.FixedJoint) for prim in stage.Traverse())


def test_page(tmp_path):
    """The commands of docs/convert-robot.md run and print what the page shows."""
    pytest.importorskip("pxr")
    pytest.importorskip("mujoco")
    sys.path.append(str(SOURCE / "tests" / "tools"))  # last: some modules there share names with ours
    from docs_commands import blocks_of, is_printed

    (tmp_path / "tools").symlink_to(SOURCE / "tools")
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    (language, commands), (_, shown) = blocks_of(SOURCE / "docs" / "convert-robot.md")
    done = subprocess.run(["bash", "-eu", "-c", commands], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert language == "sh" and done.returncode == 0, done.stderr
    for line in shown.splitlines():
        assert is_printed(line, done.stderr), f"the page shows: {line}\nprinted:\n{done.stderr}"


def test_notes_name_what_is_left_out_and_nothing_else(tmp_path):
    """Armature becomes rotors, so only the spring is left out; a ball joint becomes hinges without its damping."""
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text("""<mujoco><worldbody><body name="a"><joint name="ja" armature="0.1"/><geom type="box" size=".1 .2 .3"/>
<body name="b" pos="0 0 1"><joint name="jb" stiffness="3"/><geom type="box" size=".1 .1 .3"/><body name="c" pos="0 0 1">
<joint name="jc" type="ball" damping="0.1"/><geom type="box" size=".1 .2 .3"/></body></body></body></worldbody></mujoco>""")
    notes = convert_robot(path, tmp_path / "arm.urdf")
    (springs,) = [note for note in notes if "springs" in note]
    assert springs.endswith(" of jb")
    assert any("damping" in note and "ball jc" in note for note in notes)
    assert any("hinges" in note and "jc" in note for note in notes)
