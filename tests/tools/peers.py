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
    return {"inertias": inertias, "frames": frames, "limits": limits}


def ask_mujoco(path):
    mujoco, numpy = load("mujoco"), load("numpy")
    model = mujoco.MjModel.from_xml_path(path)
    inertias, limits = {}, {}
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
    return {"inertias": inertias, "limits": limits}


def ask_jsonschema(schema_path, document_path):
    jsonschema = load("jsonschema")
    with open(schema_path) as file:
        schema = json.load(file)
    with open(document_path) as file:
        document = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [f"{error.json_path}: {error.message}" for error in errors]


if __name__ == "__main__":
    ask = {"pinocchio": ask_pinocchio, "mujoco": ask_mujoco, "jsonschema": ask_jsonschema}[sys.argv[1]]
    json.dump(ask(*sys.argv[2:]), sys.stdout)
