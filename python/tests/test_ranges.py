"""Result.ranges(): draws are physically consistent, contain the truth, and keep what the logs determine."""
import json

import numpy as np
import pytest

import heft_robot as heft
from heft_robot.inertia import com_of, tensor_about_com
from heft_robot.ranges import _rows_of_columns


@pytest.fixture(scope="module")
def ranges(result):
    return result.ranges()


def second_moments(inertia):
    """(.., 3, 3) int x x' dm about the center of mass: positive definite for a real body."""
    return 0.5 * np.trace(inertia, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - inertia


@pytest.mark.parametrize("draw", ["joint", "independent"])
def test_every_draw_is_a_body(ranges, draw):
    robots = ranges.sample(2000, seed=3, draw=draw)
    assert robots["mass"].shape == (2000, 7) and robots["com"].shape == (2000, 7, 3) and robots["inertia"].shape == (2000, 7, 3, 3)
    assert robots["mass"].min() > 0 and np.linalg.eigvalsh(second_moments(robots["inertia"])).min() > 0
    assert all(values.min() >= 0 for joints in robots["joints"].values() for values in joints.values())


def test_independent_draws_fill_the_ranges(ranges):
    robots = ranges.sample(3000, seed=1, draw="independent")
    for at, name in enumerate(robots["bodies"]):
        for values, key in [(robots["mass"][:, at], "mass"), *((robots["com"][:, at, k], f"com_{axis}") for k, axis in enumerate("xyz"))]:
            row = ranges[name, key]
            slack = 1e-9 * (row.high - row.low)
            assert row.low - slack <= values.min() and values.max() <= row.high + slack
            assert values.max() - values.min() > 0.95 * (row.high - row.low)
    # any corner: the largest mass, inertia and offset at once is still a body
    scale = ranges["forearm", "inertia_scale"]
    assert 0 < scale.low < 1 < scale.high


def test_ranges_below_zero_end_at_zero():
    """As for an armature of which the identification removed more than the file has."""
    column = {"name": "viscous a", "kind": "viscous", "joints": ["a"], "unit": "N m s/rad", "value": -0.012}
    (row,) = _rows_of_columns({"columns": [column]}, [0.007], [False], set())
    assert (row.nominal, row.low, row.high) == (0, 0, 0)


def test_joint_draws_keep_what_the_logs_determine(arm, result, ranges):
    """Torques of joint draws differ from the result's by a few percent, those of independent draws by several times as much."""
    random = np.random.default_rng(0)
    rows = arm.regressor(random.uniform(-1, 1, (40, 7)), random.normal(size=(40, 7)), random.normal(size=(40, 7))).reshape(-1, 70)
    tau = rows @ result.parameters[:70]
    spread = {}
    for draw in ("joint", "independent"):
        robots = ranges.sample(300, seed=2, draw=draw)
        m, c, I = robots["mass"], robots["com"], robots["inertia"]
        about_origin = I + m[..., None, None] * ((c**2).sum(-1)[..., None, None] * np.eye(3) - c[..., :, None] * c[..., None, :])
        ten = np.concatenate([m[..., None], m[..., None] * c, about_origin[..., [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]], -1)
        spread[draw] = np.sqrt(np.mean((ten.reshape(300, -1) @ rows.T - tau)**2) / np.mean(tau**2))
    assert spread["joint"] < 0.05 and spread["independent"] > 3 * spread["joint"]


def test_truth_lies_inside(simulation, result, ranges):
    truth = {name: entry["value"] for name, entry in json.loads((simulation.directory / "truth.json").read_text())["parameters"].items()}
    inside = []
    for name in result.bodies:
        ten = np.array([truth[f"{name}.{key}"] for key in heft.PARAMETERS])
        values = {"mass": ten[0], **dict(zip(("com_x", "com_y", "com_z"), com_of(ten))),
                  "inertia_scale": np.trace(tensor_about_com(ten)) / np.trace(result.bodies[name].inertia)}
        inside += [ranges[name, key].low <= value <= ranges[name, key].high for key, value in values.items()]
    assert np.mean(inside) > 0.75 and len(inside) == 35


def test_prior_dominated_values_are_marked(result, ranges):
    """The first link only turns about its axis: no motion reveals its mass."""
    assert ranges["shoulder", "mass"].by_prior and not ranges["flange", "mass"].by_prior
    assert not ranges["joint_1", "frictionloss"].by_prior
    # what the prior decides has the width of the prior: k exp(+-1.96 s)
    wide = ranges["shoulder", "mass"]
    narrow = result.ranges(prior_deviation=0.1)["shoulder", "mass"]
    assert np.isclose(np.log(wide.high / wide.nominal), 3 * np.log(narrow.high / narrow.nominal), rtol=0.1)


def test_level(result, ranges):
    half = result.ranges(0.5)["flange", "mass"]
    whole = ranges["flange", "mass"]
    # quantiles of the normal distribution
    assert np.isclose(np.log(whole.high / whole.nominal) / np.log(half.high / half.nominal), 1.959964 / 0.674490, rtol=1e-5)
    for bad in (0, 1, -0.5, 95):
        with pytest.raises(heft.HeftError, match="between 0 and 1"):
            result.ranges(bad)
    with pytest.raises(heft.HeftError, match="prior_deviation"):
        result.ranges(prior_deviation=0)


def test_forms(result, ranges):
    document = json.loads(json.dumps(ranges.to_dict()))
    mass, body = document["bodies"]["forearm"]["mass"], result.bodies["forearm"]
    assert document["level"] == 0.95 and document["fixed"] == [] and mass["unit"] == "kg" and mass["nominal"] == body.mass
    assert np.allclose(mass["scale"], [mass["low"] / body.mass, mass["high"] / body.mass])
    assert np.allclose(mass["scale_of_file"], [mass["low"] / body.prior[0], mass["high"] / body.prior[0]])
    assert set(document["joints"]["joint_1"]) == {"damping", "frictionloss"}
    terms = ranges.to_isaac_lab()
    first = next(term["params"] for term in terms if term["func"] == "randomize_rigid_body_mass")
    assert first["operation"] == "scale" and first["mass_distribution_params"] == ranges["shoulder", "mass"].factors()
    low, high = next(term["params"] for term in terms if term["func"] == "randomize_rigid_body_com")["com_range"]["x"]
    assert low == -high < 0
    assert "(prior)" in str(ranges) and len(str(ranges).splitlines()) == 1 + len(list(ranges))
    with pytest.raises(heft.HeftError, match="draw"):
        ranges.sample(3, draw="gaussian")
    with pytest.raises(KeyError):
        ranges["forearm", "weight"]


def test_frame(ranges):
    pytest.importorskip("pandas")
    frame = ranges.to_frame()
    assert list(frame.columns) == ["of", "quantity", "nominal", "low", "high", "unit", "by_prior"] and len(frame) == len(ranges.rows)


def test_mjlab(result, ranges):
    """mjlab's maps are J' = U J U', U = exp(alpha) [[exp(d1), s12, s13, t1], ..]: the ends of its ranges are those of the covariance."""
    arguments = ranges.to_mjlab()["flange"]
    low, high = arguments["alpha_range"]
    assert np.allclose(np.exp(2 * np.array([low, high])), ranges["flange", "mass"].factors())
    names = ["alpha", "d1", "d2", "d3", "s12", "s13", "s23", "t1", "t2", "t3"]
    assert set(arguments) == {f"{name}_range" for name in names}
    places = [None, (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    I, p, step = result.bodies["flange"].inertia_origin, result.bodies["flange"].parameters, 1e-6
    J = np.block([[0.5 * np.trace(I) * np.eye(3) - I, p[1:4, None]], [p[[1, 2, 3, 0]]]])

    def ten(place, by):
        U = np.eye(4) * (np.exp(by) if place is None else 1)
        if place is not None:
            U[place] = np.exp(by) if place[0] == place[1] else by
        moved = U @ J @ U.T
        S = np.trace(moved[:3, :3]) * np.eye(3) - moved[:3, :3]
        return np.array([moved[3, 3], *moved[:3, 3], S[0, 0], S[0, 1], S[1, 1], S[0, 2], S[1, 2], S[2, 2]])

    slopes = np.stack([(ten(place, step) - ten(place, -step)) / (2 * step) for place in places], 1)
    back = np.linalg.inv(slopes)
    at = ranges._parts["moving"].index("flange")
    deviation = np.sqrt(np.diag(back @ ranges._parts["body_covariances"][at] @ back.T))
    assert np.allclose([arguments[f"{name}_range"][1] for name in names], 1.959964 * deviation, rtol=1e-4)


def test_read_result_and_refusals(result, arm, simulation, tmp_path, ranges):
    result.save(tmp_path / "result")
    read = heft.read_result(tmp_path / "result").ranges()
    assert np.allclose([row.low for row in read], [row.low for row in ranges], rtol=1e-6, atol=1e-9)
    squares = heft.identify(arm, simulation.train, config={"estimation": {"solver": "wls"}})
    with pytest.raises(heft.HeftError):
        squares.ranges()


ARM_XML = """<mujoco model="two">
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <default><joint damping="0.4" armature="0.05" frictionloss="0.2"/></default>
  <worldbody>
    <body name="upper" pos="0 0 0.5"><joint name="j1" axis="0 1 0"/>
      <inertial pos="0.01 0 -0.15" mass="2" diaginertia="0.02 0.02 0.004"/>
      <body name="plate" pos="0 0.05 -0.1"><inertial pos="0 0 0" mass="0.3" diaginertia="0.001 0.001 0.001"/></body>
      <body name="fore" pos="0 0 -0.3"><joint name="j2" axis="0 1 0" pos="0 0 0.01"/>
        <inertial pos="0 0.02 -0.1" mass="1" diaginertia="0.006 0.006 0.001"/></body></body>
  </worldbody>
</mujoco>"""


@pytest.fixture(scope="module")
def identified_xml(tmp_path_factory):
    """A MuJoCo model, identified from torques of closed-form motion by mj_inverse, and its identified.xml."""
    mujoco = pytest.importorskip("mujoco")
    from heft_robot import mjcf

    folder = tmp_path_factory.mktemp("two")
    (folder / "two.xml").write_text(ARM_XML)
    model = mujoco.MjModel.from_xml_path(str(folder / "two.xml"))
    model.body_mass[1:] *= [1.2, 1, 0.9]
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    mujoco.mj_setConst(model, mujoco.MjData(model))
    data, t = mujoco.MjData(model), 0.002 * np.arange(10000)
    w, phase = np.array([[2.0, 5.1, 7.3], [3.1, 4.3, 8.2]]), np.array([[0.3, 1.1, 2.0], [0.9, 2.2, 0.1]])
    angle = t[:, None, None] * w + phase
    q, qd, qdd = 0.4 * np.sin(angle).sum(2), 0.4 * (w * np.cos(angle)).sum(2), -0.4 * (w**2 * np.sin(angle)).sum(2)
    tau = np.zeros_like(q)
    for at in range(len(t)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[at], qd[at], qdd[at]
        mujoco.mj_inverse(model, data)
        tau[at] = data.qfrc_inverse
    tau += 0.2 * np.sign(qd) + np.random.default_rng(0).normal(scale=0.05, size=tau.shape)
    result = heft.identify(heft.Robot.from_mjcf(folder / "two.xml"), heft.Log(t, q, tau))
    path, _ = mjcf.write(mjcf.read(folder / "two.xml"), result.to_dict(), folder / "result")
    return mujoco, result, path


def test_draws_as_mujoco_models(identified_xml):
    """M of every model is the sum over its drawn bodies and what they carry; the first body has another one fixed to it."""
    mujoco, result, path = identified_xml
    ranges = result.ranges()
    robots, models = ranges.sample(4, seed=5), ranges.to_mujoco(path, 4, seed=5)
    nominal = mujoco.MjModel.from_xml_path(str(path))
    for at, model in enumerate(models):
        assert np.isclose(model.body_mass[1] + model.body_mass[2], robots["mass"][at, 0], rtol=1e-9)
        assert model.body_mass[2] == nominal.body_mass[2]
        assert np.isclose(model.body_mass[3], robots["mass"][at, 1], rtol=1e-9)
        armature = robots["joints"]["armature"]["j2"][at]
        assert np.isclose(model.dof_armature[1], armature, rtol=1e-6) and armature != nominal.dof_armature[1]
        data = mujoco.MjData(model)
        data.qpos[:] = [0.3, -0.8]
        data.qvel[:] = [1, 2]
        mujoco.mj_forward(model, data)
        energy = 0.5 * (model.dof_armature @ data.qvel**2)
        for body in range(1, model.nbody):
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, velocity, 0)
            R, turn, center = data.ximat[body].reshape(3, 3), velocity[:3], velocity[3:]
            energy += 0.5 * (model.body_mass[body] * center @ center + turn @ R @ np.diag(model.body_inertia[body]) @ R.T @ turn)
        momentum = np.zeros(2)
        mujoco.mj_mulM(model, data, momentum, data.qvel)
        assert np.isclose(0.5 * data.qvel @ momentum, energy, rtol=1e-12)


def test_armature_of_mjcf(identified_xml):
    """Models from MJCF estimate the change of armature; the range is that of the total."""
    mujoco, result, path = identified_xml
    row = result.ranges()["j2", "armature"]
    assert np.isclose(row.nominal, mujoco.MjModel.from_xml_path(str(path)).dof_armature[1], rtol=1e-9) and row.low < 0.05 < row.high


def noiseless_result(folder):
    """A result of a MuJoCo model whose log is exact."""
    mujoco = pytest.importorskip("mujoco")
    (folder / "two.xml").write_text(ARM_XML)
    model = mujoco.MjModel.from_xml_path(str(folder / "two.xml"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_frictionloss[:] = 0
    model.body_mass[1] = 2.4
    mujoco.mj_setConst(model, mujoco.MjData(model))
    data, t = mujoco.MjData(model), 0.002 * np.arange(4000)
    w, phase = np.array([[2.0, 5.1, 7.3], [3.1, 4.3, 8.2]]), np.array([[0.3, 1.1, 2.0], [0.9, 2.2, 0.1]])
    angle = t[:, None, None] * w + phase
    states = 0.4 * np.sin(angle).sum(2), 0.4 * (w * np.cos(angle)).sum(2), -0.4 * (w**2 * np.sin(angle)).sum(2)
    tau = np.zeros_like(states[0])
    for at in range(len(t)):
        data.qpos[:], data.qvel[:], data.qacc[:] = (state[at] for state in states)
        mujoco.mj_inverse(model, data)
        tau[at] = data.qfrc_inverse
    return heft.identify(folder / "two.xml", heft.Log.from_mujoco(model, *states, tau))


def test_logs_without_noise(tmp_path):
    """Intervals at the level of rounding leave what the prior determines as wide as the prior, and all numbers finite."""
    result = noiseless_result(tmp_path)
    ranges = result.ranges()
    assert all(np.isfinite([row.nominal, row.low, row.high]).all() and row.low <= row.nominal <= row.high for row in ranges)
    robots = ranges.sample(500, seed=0)
    assert np.linalg.eigvalsh(second_moments(robots["inertia"])).min() > 0
    # the moment about the last hinge is certain, the mass is not
    m, c = robots["mass"][:, 1], robots["com"][:, 1]
    moment = m * (c[:, 2] - 0.01)
    assert np.std(moment) < 0.01 * abs(moment.mean()) and np.std(m) > 0.02 * m.mean()
    # along y, about which it turns, nothing tells where the mass is: the prior alone, 0.3 of the radius of gyration
    body = result.bodies["fore"]
    spread = np.sqrt(second_moments(body.inertia)[1, 1] / body.mass)
    row = ranges["fore", "com_y"]
    assert row.high - row.nominal == pytest.approx(1.96 * 0.3 / np.sqrt(2) * spread, rel=0.3)


def test_wrong_files_are_refused(identified_xml, tmp_path):
    """Only identified.xml of the result gives the result's robots."""
    mujoco, result, path = identified_xml
    ranges, text = result.ranges(), path.read_text()
    wrong = {"heavier.xml": (text.replace('mass="', 'mass="1', 1), "mass|kg"), "joint.xml": (text.replace('"j2"', '"k2"'), "joint 'j2'"),
             "body.xml": (text.replace('"fore"', '"after"'), "body 'fore'"), "robot.urdf": ("<robot name='a'/>", "MJCF"),
             "original.xml": (ARM_XML, "kg")}
    for name, (content, words) in wrong.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(heft.HeftError, match=words) as error:
            ranges.to_mujoco(tmp_path / name, 2)
        assert error.value.where.startswith(str(tmp_path / name)) and "identified.xml" in error.value.remedy
    with pytest.raises(heft.HeftError, match="does not exist"):
        ranges.to_mujoco(tmp_path / "none.xml", 2)
    with pytest.raises(heft.HeftError, match="path"):
        ranges.to_mujoco(3, 2)


@pytest.mark.parametrize("count, seed", [(0, 1), (2.5, 1), ("a", 1), (True, 1), (2, -1), (2, "x")])
def test_wrong_arguments_of_draws(ranges, count, seed):
    with pytest.raises(heft.HeftError, match="count|seed"):
        ranges.sample(count, seed)


@pytest.mark.parametrize("level", ["a", None, float("nan")])
def test_wrong_levels(result, level):
    with pytest.raises(heft.HeftError, match="level"):
        result.ranges(level)
