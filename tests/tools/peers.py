"""Programs that others wrote, asked about our files: peers.py pinocchio|mujoco FILE.urdf, or
peers.py jsonschema SCHEMA RESULT. Prints JSON; exits with 77 where the peer is not installed.

Inertias are per moving joint the ten parameters about the body frame's origin, in Heft's order.
"""

import importlib
import json
import sys

NOT_INSTALLED = 77


def load(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        sys.exit(NOT_INSTALLED)


def ask_pinocchio(path):
    pinocchio, numpy = load("pinocchio"), load("numpy")
    model = pinocchio.buildModelFromUrdf(path)
    inertias = {model.names[i]: model.inertias[i].toDynamicParameters().tolist() for i in range(1, model.njoints)}
    # where every frame is, fixed links included, at a posture without symmetry
    data = model.createData()
    posture = 0.3 + 0.1 * numpy.arange(model.nq)
    pinocchio.framesForwardKinematics(model, data, posture)
    frames = {f"{frame.name} {frame.type}": data.oMf[i].homogeneous.tolist() for i, frame in enumerate(model.frames)}
    limits = {name: getattr(model, name).tolist()
              for name in ("lowerPositionLimit", "upperPositionLimit", "velocityLimit", "effortLimit")}
    dynamics = {model.names[i]: {name: float(getattr(model, attribute)[model.joints[i].idx_v])
                                 for name, attribute in (("damping", "damping"), ("friction", "upperDryFrictionLimit"))}
                for i in range(1, model.njoints) if model.joints[i].nv == 1}
    return {"inertias": inertias, "frames": frames, "limits": limits, "dynamics": dynamics}


def ask_sensor(path, link, parameters, seconds, rate, speed="moving"):
    """A robot that moves its joints, or rests at the same positions if `still`, and the wrench with which a link would carry a body of
    these ten parameters, in the link's frame: q and wrench, one row per sample."""
    pinocchio, numpy = load("pinocchio"), load("numpy")
    model = pinocchio.buildModelFromUrdf(path)
    data, frame = model.createData(), model.getFrameId(link)
    body = pinocchio.Inertia.FromDynamicParameters(numpy.array(json.loads(parameters)))
    k = numpy.arange(model.nv)
    rate_of_joint, phase, size = 1.1 + 0.37 * k, 0.9 * k, 0.5 * numpy.ones(model.nv)
    moves = 0.0 if speed == "still" else 1.0
    rows = {"q": [], "wrench": []}
    for t in numpy.arange(0, float(seconds), 1 / float(rate)):
        angle = rate_of_joint * t + phase
        q, v = size * numpy.sin(angle), moves * size * rate_of_joint * numpy.cos(angle)
        pinocchio.forwardKinematics(model, data, q, v, -moves * size * rate_of_joint**2 * numpy.sin(angle))
        pinocchio.updateFramePlacement(model, data, frame)
        twist = pinocchio.getFrameVelocity(model, data, frame, pinocchio.LOCAL)
        change = pinocchio.getFrameAcceleration(model, data, frame, pinocchio.LOCAL)
        change.linear = change.linear - data.oMf[frame].rotation.T @ model.gravity.linear
        force = body * change + twist.cross(body * twist)
        rows["q"].append(q.tolist())
        rows["wrench"].append(force.linear.tolist() + force.angular.tolist())
    return rows


def ask_mujoco(path):
    mujoco, numpy = load("mujoco"), load("numpy")
    model = mujoco.MjModel.from_xml_path(path)
    inertias, limits, dynamics = {}, {}, {}
    for joint in range(model.njnt):
        body = model.jnt_bodyid[joint]
        mass, com = model.body_mass[body], model.body_ipos[body]
        rotation = numpy.zeros(9)
        mujoco.mju_quat2Mat(rotation, model.body_iquat[body])
        rotation = rotation.reshape(3, 3)
        tensor = rotation @ numpy.diag(model.body_inertia[body]) @ rotation.T
        tensor += mass * (com @ com * numpy.eye(3) - numpy.outer(com, com))
        inertias[model.joint(joint).name] = [mass, *(mass * com), tensor[0, 0], tensor[0, 1], tensor[1, 1],
                                             tensor[0, 2], tensor[1, 2], tensor[2, 2]]
        limits[model.joint(joint).name] = model.jnt_range[joint].tolist()
        dof = model.jnt_dofadr[joint]
        dynamics[model.joint(joint).name] = {"damping": model.dof_damping[dof].item(), "friction": model.dof_frictionloss[dof].item()}
    return {"inertias": inertias, "limits": limits, "dynamics": dynamics}


def ask_mujoco_torques(path, states_path):
    """Torques of the joints at states (q, qd, qdd), from inverse dynamics with damping and dry friction, without contacts or joint limits.
    MuJoCo's dry friction is soft; it is made nearly hard, so that it is complete at high speed."""
    mujoco = load("mujoco")
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.dof_solimp[:, :2] = 0.9999
    model.dof_solref[:] = (2 * model.opt.timestep, 1)
    data, torques = mujoco.MjData(model), []
    with open(states_path) as file:
        for data.qpos[:], data.qvel[:], data.qacc[:] in json.load(file):
            mujoco.mj_inverse(model, data)
            torques.append(data.qfrc_inverse.tolist())
    return torques


def ask_bodies(path):
    """The bodies of a file, ten parameters each in Heft's order, as these programs store them: Pinocchio's dynamic parameters, set and read
    back; and <inertial> of MuJoCo with its fullinertia, about the center of mass that Pinocchio computes."""
    pinocchio, numpy = load("pinocchio"), load("numpy")
    bodies = {"pinocchio": [], "mujoco": []}
    with open(path) as file:
        for parameters in json.load(file)["bodies"]:
            inertia = pinocchio.Inertia.FromDynamicParameters(numpy.array(parameters))
            bodies["pinocchio"].append(inertia.toDynamicParameters().tolist())
            tensor = inertia.inertia  # about the center of mass
            bodies["mujoco"].append([inertia.mass, *inertia.lever, tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1],
                                     tensor[0, 2], tensor[1, 2]])
    return bodies


def ask_fullinertia(path):
    """MuJoCo's bodies for <inertial> elements given as (mass, pos, fullinertia): ten parameters in Heft's order."""
    mujoco, numpy = load("mujoco"), load("numpy")
    bodies = []
    with open(path) as file:
        for numbers in json.load(file)["bodies"]:
            text = " ".join(map(repr, numbers[4:]))
            model = mujoco.MjModel.from_xml_string(
                f'<mujoco><compiler balanceinertia="false"/><worldbody><body><freejoint/><inertial mass="{numbers[0]!r}" '
                f'pos="{numbers[1]!r} {numbers[2]!r} {numbers[3]!r}" fullinertia="{text}"/></body></worldbody></mujoco>')
            mass, com = model.body_mass[1], model.body_ipos[1]
            rotation = numpy.zeros(9)
            mujoco.mju_quat2Mat(rotation, model.body_iquat[1])
            rotation = rotation.reshape(3, 3)
            tensor = rotation @ numpy.diag(model.body_inertia[1]) @ rotation.T
            tensor += mass * (com @ com * numpy.eye(3) - numpy.outer(com, com))
            bodies.append([mass, *(mass * com), tensor[0, 0], tensor[0, 1], tensor[1, 1], tensor[0, 2], tensor[1, 2],
                           tensor[2, 2]])
    return bodies


def mechanics_rows(pinocchio, numpy, path, states, floating):
    """{kind: states x rows x (10 per joint)} from Pinocchio's model of a URDF file, column by column from unit parameters if it has no
    regressor."""
    root = (pinocchio.JointModelFreeFlyer(),) if floating else ()
    model = pinocchio.buildModelFromUrdf(path, *root)
    data = model.createData()
    rows = {kind: [] for kind in ("torque", "gravity", "momentum", "coriolis_transpose", "kinetic", "potential", "power")}
    zero = numpy.zeros(model.nv)
    for state in states:
        q, v, a = numpy.split(numpy.array(state), [model.nq, model.nq + model.nv])
        torque = pinocchio.computeJointTorqueRegressor(model, data, q, v, a).copy()
        gravity = pinocchio.computeJointTorqueRegressor(model, data, q, zero, zero).copy()
        momentum = pinocchio.computeJointTorqueRegressor(model, data, q, zero, v) - gravity
        kinetic = pinocchio.computeKineticEnergyRegressor(model, data, q, v).copy()
        potential = pinocchio.computePotentialEnergyRegressor(model, data, q).copy()
        rows["torque"].append(torque.tolist())
        rows["gravity"].append(gravity.tolist())
        rows["momentum"].append(momentum.tolist())
        rows["kinetic"].append([kinetic.tolist()])
        rows["potential"].append([potential.tolist()])
        rows["power"].append([(v @ torque).tolist()])
        coriolis = numpy.zeros((model.nv, 10 * (model.njoints - 1)))
        world = {kind: numpy.zeros((6, 10 * (model.njoints - 1))) for kind in ("world_wrench", "world_gravity", "world_momentum")}
        for joint in range(1, model.njoints):
            model.inertias[joint] = pinocchio.Inertia.Zero()
        for joint in range(1, model.njoints):
            for k in range(10):
                # of a body that has mass, since some entry points divide by it; linear, so that the rest is subtracted
                for sign in (1, -1):
                    parameters = numpy.array([1, 0, 0, 0, 1, 0, 1, 0, 0, 1.0])
                    parameters[k] += sign * 0.25
                    model.inertias[joint] = pinocchio.Inertia.FromDynamicParameters(parameters)
                    C = pinocchio.computeCoriolisMatrix(model, data, q, v)
                    coriolis[:, 10 * (joint - 1) + k] += sign * 2 * (C.T @ v)
                    for kind, wrench in world_wrenches(pinocchio, numpy, model, data, q, v, a).items():
                        world[kind][:, 10 * (joint - 1) + k] += sign * 2 * wrench
            model.inertias[joint] = pinocchio.Inertia.Zero()
        rows["coriolis_transpose"].append(coriolis.tolist())
        for kind, wrench in world.items():
            rows.setdefault(kind, []).append(wrench.tolist())
    return rows


def world_wrenches(pinocchio, numpy, model, data, q, v, a):
    """Force and torque about the world's origin that hold and move the robot, the same at rest, and its momentum."""
    def about_origin(wrench, com):
        return numpy.concatenate([wrench.linear, wrench.angular + numpy.cross(com, wrench.linear)])
    rate = pinocchio.computeCentroidalMomentumTimeVariation(model, data, q, v, a).copy()
    com, weight = data.com[0].copy(), sum(inertia.mass for inertia in list(model.inertias)[1:]) * model.gravity.linear
    momentum = about_origin(pinocchio.computeCentroidalMomentum(model, data, q, v).copy(), com)
    at_rest = -numpy.concatenate([weight, numpy.cross(com, weight)])
    return {"world_wrench": about_origin(rate, com) + at_rest, "world_gravity": at_rest, "world_momentum": momentum}


def ask_mechanics(path, states_path):
    pinocchio, numpy = load("pinocchio"), load("numpy")
    with open(states_path) as file:
        request = json.load(file)
    return mechanics_rows(pinocchio, numpy, path, request["states"], request["floating"])


def ask_jsonschema(schema_path, document_path):
    jsonschema = load("jsonschema")
    with open(schema_path) as file:
        schema = json.load(file)
    with open(document_path) as file:
        document = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [f"{error.json_path}: {error.message}" for error in errors]


def ask_rosbags(path):
    """Stamp [ns] and numbers of every message of joint states."""
    highlevel, pathlib = load("rosbags.highlevel"), load("pathlib")
    rows = []
    with highlevel.AnyReader([pathlib.Path(path)]) as reader:
        for connection, _, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            stamp = message.header.stamp
            rows.append([stamp.sec * 10**9 + stamp.nanosec, list(message.name), message.position.tolist(), message.effort.tolist()])
    return rows


def ask_weighted_fit(path, request_path):
    """Least squares on Pinocchio's regressor of logs t, q.., qd.., qdd.., tau..: {"train", "held_out", "kinds", "given", "residuals"} with
    one kind per log and one given weight per kind. As heft identify --solver ols with weights of kinds of logs: squared errors of channel
    c in logs of kind k have the weight given_k, divided by the variance of their residuals if `residuals`, relative to their mean over
    the rows. The degrees of freedom of a variance are its rows without their share of the hat matrix's trace. Returns held-out rms errors by joint, and the weights: [kind][channel]."""
    pinocchio, numpy = load("pinocchio"), load("numpy")
    with open(request_path) as file:
        request = json.load(file)
    model = pinocchio.buildModelFromUrdf(path)
    data = model.createData()

    def rows_of(log):
        table = numpy.loadtxt(log, delimiter=",", skiprows=1)
        q, v, a, tau = (table[:, 1 + k * model.nv:1 + (k + 1) * model.nv] for k in range(4))
        return numpy.array([pinocchio.computeJointTorqueRegressor(model, data, *one).copy() for one in zip(q, v, a)]), tau

    def solution(weights):
        """Least squares with the weights [log][channel], on columns of equal length."""
        A = numpy.concatenate([(rows * numpy.sqrt(w)[None, :, None]).reshape(-1, rows.shape[2]) for (rows, _), w in zip(logs, weights)])
        b = numpy.concatenate([(tau * numpy.sqrt(w)).ravel() for (_, tau), w in zip(logs, weights)])
        scale = numpy.linalg.norm(A, axis=0)
        scale[scale < 1e-12 * scale.max()] = 1  # rounding
        return numpy.linalg.lstsq(A / scale, b, rcond=1e-9)[0] / scale

    def residuals(x):
        return [tau - rows @ x for rows, tau in logs]

    def by_channel(factors):
        """Weighted least squares in four passes: each by the variances of the channels in the pass before."""
        w = numpy.ones(model.nv)
        for _ in range(5):
            last, x = w, solution([f * w for f in factors])
            errors = residuals(x)
            w = sum(len(e) for e in errors) / sum(f * (e**2).sum(axis=0) for f, e in zip(factors, errors))
        return solution([f * last for f in factors]), w

    def leverage(weights):
        """Diagonal of the hat matrix: [log][row, channel]."""
        A = [rows * numpy.sqrt(w)[None, :, None] for (rows, _), w in zip(logs, weights)]
        stacked = numpy.concatenate([one.reshape(-1, one.shape[2]) for one in A])
        scale = numpy.linalg.norm(stacked, axis=0)
        scale[scale < 1e-12 * scale.max()] = 1
        U, sizes, _ = numpy.linalg.svd(stacked / scale, full_matrices=False)
        diagonal = (U[:, sizes > 1e-9 * sizes[0]]**2).sum(axis=1)
        ends = numpy.cumsum([one.shape[0] * model.nv for one in A])[:-1]
        return [part.reshape(-1, model.nv) for part in numpy.split(diagonal, ends)]

    logs = [rows_of(log) for log in request["train"]]
    num_kinds = len(request["given"])
    factors = [numpy.ones(model.nv) for _ in logs]
    for _ in range(2 if request["residuals"] else 1):
        x, w = by_channel(factors)
        errors, taken = residuals(x), leverage([f * w for f in factors])
        members = [[k for k, kind in enumerate(request["kinds"]) if kind == one] for one in range(num_kinds)]
        num_rows = numpy.array([sum(len(errors[k]) for k in of_kind) for of_kind in members])
        relative = numpy.array([[given] * model.nv for given in request["given"]], dtype=float)
        if request["residuals"]:
            relative /= numpy.array([sum((errors[k]**2).sum(axis=0) for k in of_kind) / sum((1 - taken[k]).sum(axis=0) for k in of_kind)
                                     for of_kind in members])
        relative *= num_rows.sum() / (num_rows @ relative)
        factors = [relative[kind] for kind in request["kinds"]]
    x = solution(factors)
    held_rows, held_tau = rows_of(request["held_out"])
    return {"errors": numpy.sqrt(((held_tau - held_rows @ x)**2).mean(axis=0)).tolist(), "weights": relative.tolist()}


def ask_mcap_again(path, out, compression):
    """Rewrites an MCAP file with chunks compressed by the original libraries."""
    load("mcap")
    from mcap.reader import make_reader
    from mcap.writer import CompressionType, Writer
    with open(path, "rb") as source, open(out, "wb") as file:
        writer = Writer(file, chunk_size=20000, compression=CompressionType[compression.upper()])
        writer.start(profile="ros2", library="tests")
        channels = {}
        for schema, channel, message in make_reader(source, validate_crcs=True).iter_messages():
            if channel.id not in channels:
                known = writer.register_schema(schema.name, schema.encoding, schema.data)
                channels[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, known)
            writer.add_message(channels[channel.id], message.log_time, message.data, message.publish_time)
        writer.finish()
    return {}


def ask_bag_again(path, out, storage, mode):
    """Writes an MCAP file's joint states as a bag folder of rosbags: storage sqlite3 or mcap, compression none, file, message, storage."""
    rosbag2, typesys, reader = load("rosbags.rosbag2"), load("rosbags.typesys"), load("mcap.reader")
    store = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)
    writer = rosbag2.Writer(out, version=9, storage_plugin=rosbag2.StoragePlugin[storage.upper()])
    if mode != "none":
        writer.set_compression(rosbag2.CompressionMode[mode.upper()], rosbag2.CompressionFormat.ZSTD)
    with writer, open(path, "rb") as source:
        connection = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        for _, _, message in reader.make_reader(source).iter_messages():
            writer.write(connection, message.log_time, message.data)
    return {}


if __name__ == "__main__":
    ask = {"pinocchio": ask_pinocchio, "mujoco": ask_mujoco, "mujoco_torques": ask_mujoco_torques, "jsonschema": ask_jsonschema, "bodies": ask_bodies,
           "fullinertia": ask_fullinertia, "mechanics": ask_mechanics, "sensor": ask_sensor, "rosbags": ask_rosbags,
           "weighted_fit": ask_weighted_fit, "mcap_again": ask_mcap_again, "bag_again": ask_bag_again}[sys.argv[1]]
    json.dump(ask(*sys.argv[2:]), sys.stdout)
