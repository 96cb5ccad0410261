"""Identification from arrays to results: files and words equal the program's; moments; prediction; rejected input."""
import copy
import io
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import heft_robot as heft
from conftest import ARM, LENGTH, MASS, PENDULUM, SOURCE, run_program, without_timings


def test_pendulum_is_found(pendulum, swing):
    result = heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau))
    assert result.certified
    body = result.bodies["bob"]
    assert abs(body.mass * body.com[0] - MASS * LENGTH) < 0.01
    assert abs(result.columns["viscous hinge"] - 0.3) < 0.01
    assert np.allclose(body.inertia, body.inertia.T) and np.linalg.eigvalsh(body.inertia).min() > 0
    c, m = body.com, body.mass
    assert np.allclose(body.inertia_origin, body.inertia + m * (c @ c * np.eye(3) - np.outer(c, c)))


def test_same_as_the_program(arm, simulation, result, tmp_path):
    done = run_program("identify", "--robot", ARM, "--log", simulation.train.name, "--validate", simulation.held_out.name,
                       "--out", tmp_path / "theirs", "--quiet")
    assert done.returncode == 0, done.stderr
    files = result.save(tmp_path / "ours")
    theirs = json.loads((tmp_path / "theirs" / "result.json").read_text())
    assert without_timings(result.to_dict()) == without_timings(theirs)
    assert json.loads(open(files["result"]).read()) == result.to_dict()
    assert sorted(os.listdir(tmp_path / "ours")) == sorted(os.listdir(tmp_path / "theirs"))
    assert (tmp_path / "ours" / "identified.urdf").read_bytes() == (tmp_path / "theirs" / "identified.urdf").read_bytes()
    again = heft.read_result(tmp_path / "theirs")
    assert again.to_dict() == theirs and np.array_equal(again.parameters, result.parameters)
    again.save(tmp_path / "third")
    for name in os.listdir(tmp_path / "theirs"):
        assert (tmp_path / "third" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    with pytest.raises(heft.HeftError, match="single result.json"):
        heft.read_result(tmp_path / "theirs" / "result.json").save(tmp_path / "fourth")


def test_a_share_of_a_part_of_a_log_is_held_out(arm, simulation, tmp_path):
    done = run_program("identify", "--robot", ARM, "--log", simulation.train.name, "--start-s", "0.5", "--end-s", "3.5",
                       "--validate", "40%", "--out", tmp_path, "--quiet")
    assert done.returncode in (0, 4), done.stderr
    theirs = json.loads((tmp_path / "result.json").read_text())
    ours = heft.identify(arm, simulation.train, "40%", start_s=0.5, end_s=3.5).to_dict()
    assert ours["bodies"] == theirs["bodies"]
    assert ours["validation"]["overall_relative"] == theirs["validation"]["overall_relative"]
    with pytest.raises(heft.HeftError, match="holds out all rows"):
        heft.identify(arm, simulation.train, "100%")


@pytest.mark.parametrize("name, training, held_out", [
    ("staubli_tx40", ["log_train"], "log_valid"), ("franka_panda", ["log_train"], "log_valid"),
    ("kuka_kr300", ["log_train_A", "log_train_B"], "log_valid_C")])
def test_real_logs_as_by_the_program(data, tmp_path, name, training, held_out):
    folder, config = data / name, SOURCE / "bench" / "real_logs" / f"{name}.yaml"
    logs = [folder / f"{log}.csv" for log in training]
    result = heft.identify(folder / "robot.urdf", logs, folder / f"{held_out}.csv", config)
    words = [word for log in logs for word in ("--log", log)]
    done = run_program("identify", "--robot", folder / "robot.urdf", "--config", config, *words, "--validate",
                       folder / f"{held_out}.csv", "--out", tmp_path, "--quiet")
    assert done.returncode in (0, 4), done.stderr
    assert without_timings(result.to_dict()) == without_timings(json.loads((tmp_path / "result.json").read_text()))


def test_configuration_by_file_dictionary_and_dots(arm, simulation, tmp_path):
    path = tmp_path / "options.yaml"
    path.write_text("conditioning: {lowpass_hz: 7}\ncolumns: [viscous]\n")
    by_file = heft.identify(arm, simulation.train, config=path)
    by_dictionary = heft.identify(arm, simulation.train, config={"conditioning": {"lowpass_hz": 7}, "columns": ["viscous"]})
    by_dots = heft.identify(arm, simulation.train, config={"conditioning.lowpass_hz": np.float64(7), "columns": ["viscous"]})
    by_log = heft.identify(arm, heft.read_log(simulation.train.name, path))
    for other in (by_dictionary, by_dots, by_log):
        assert without_timings(other.to_dict()) == without_timings(by_file.to_dict())
    assert list(by_file.columns) == [f"viscous joint_{i}" for i in range(1, 8)]
    with pytest.raises(heft.HeftError) as error:
        heft.identify(arm, simulation.train, config={"conditioning": {"lowpas_hz": 7}})
    assert "lowpass_hz" in str(error.value) and error.value.where.startswith("config")
    with pytest.raises(heft.HeftError, match="config"):
        heft.identify(arm, simulation.train, config=7)


def test_the_search_for_columns_leaves_its_choice(pendulum, swing, tmp_path):
    result = heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau), config={"selection": {"columns": "auto", "max_steps": 1}})
    result.save(tmp_path)
    assert (tmp_path / "chosen.yaml").exists()
    heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau)).save(tmp_path)
    assert not (tmp_path / "chosen.yaml").exists()


def test_moments_add_up_and_travel(arm, simulation, tmp_path):
    a, b = heft.moments(arm, simulation.train), heft.moments(arm, simulation.held_out)
    both, at_once = a + b, heft.moments(arm, [simulation.train, simulation.held_out])
    G, G_at_once = both.normal_equations()[0], at_once.normal_equations()[0]
    assert np.abs(G - G_at_once).max() <= 1e-12 * np.abs(G).max()
    assert both.num_samples == a.num_samples + b.num_samples and sum([a, b]).num_samples == both.num_samples
    both.save(tmp_path / "both.heft")
    both.save(tmp_path / "small.heft", compact=True)
    for again in (heft.Moments.load(tmp_path / "both.heft"), pickle.loads(pickle.dumps(both))):
        assert all(np.array_equal(x, y) for x, y in zip(again.normal_equations(), both.normal_equations()))
    assert pickle.loads(pickle.dumps(heft.Moments.load(tmp_path / "small.heft"))).is_compact
    assert np.array_equal(heft.solve(both).parameters, heft.solve(heft.Moments.load(tmp_path / "both.heft")).parameters)
    with pytest.raises(TypeError):
        both + 1
    with pytest.raises(heft.HeftError, match="weights"):
        both.normal_equations(np.ones(3))


def test_solve_is_identify_without_logs(arm, simulation, result):
    again = heft.solve(heft.moments(arm, simulation.train), robot=arm)
    assert np.array_equal(again.parameters, result.parameters) and again.certified
    with pytest.warns(UserWarning, match="lowpass_hz: 3.0 has no effect"):
        heft.solve(result.moments, {"conditioning": {"lowpass_hz": 3}})


def test_moments_of_another_robot_are_refused(arm, pendulum, swing, result):
    other = heft.moments(pendulum, heft.Log(swing.t, swing.q, swing.tau))
    with pytest.raises(heft.HeftError, match="another robot"):
        heft.solve(other, robot=arm)
    with pytest.raises(heft.HeftError):
        other + result.moments
    with pytest.raises(heft.HeftError, match="moments: is a Result"):
        heft.solve(result)


def test_batch_is_many_solves(arm, simulation, result):
    problems = [heft.Problem.from_moments(result.moments, {"estimation": {"prior_weight": w}}) for w in (0.01, 0.1, 1)]
    batch = heft.solve_batch(problems)
    assert batch.certified.all() and batch.parameters.shape == (3, len(result.parameters))
    # both are within 1e-8 of the residual cost: near in the objective, so near in what the data see
    G, b, *_ = result.moments.normal_equations()
    step = batch.parameters[0] - result.parameters
    assert step @ G @ step <= 1e-6 * (result.parameters @ G @ result.parameters)


def test_problem_of_equations():
    """One body with rows of noise-free torque: the result is the truth."""
    rng = np.random.default_rng(3)
    truth = heft.convert([2, 0.1, 0.2, 0.3, 0.01, 0, 0, 0.02, 0, 0.025], "urdf", "heft").bodies[0]
    Y = rng.normal(size=(100, 10))
    batch = heft.solve_batch([heft.Problem.from_equations(1e8 * Y.T @ Y, 1e8 * Y.T @ (Y @ truth), 1e8 * np.sum((Y @ truth) ** 2), 100,
                                                          0.8 * truth)])
    assert batch.certified[0] and np.allclose(batch.parameters[0], truth, rtol=1e-5, atol=1e-6)
    with pytest.raises(heft.HeftError, match=r"G: has shape \(9, 9\).*\(10, 10\)"):
        heft.Problem.from_equations(np.eye(9), np.zeros(9), 1, 9, truth)


def test_prediction(arm, simulation, result, tmp_path):
    prediction = result.predict(simulation.held_out)
    assert prediction.predicted.shape == (len(prediction.t), 7) and prediction.channels == arm.joints
    assert prediction.error == pytest.approx(result.error, rel=1e-9)
    result.save(tmp_path)
    of_files = heft.predict(tmp_path, simulation.held_out.name, tmp_path / "predicted.csv")
    assert np.allclose(of_files.predicted, prediction.predicted, rtol=1e-7, atol=1e-7)


def test_prediction_without_torques(arm, simulation, result, arrays):
    """What was not measured is nan, not zero, in arrays and in tables."""
    t, q, _ = arrays
    table = {name: column for name, column in simulation.train.read().items() if not name.startswith("tau_")}
    for log in (heft.Log(t, q), table):
        prediction = result.predict(log)
        assert np.isnan(prediction.measured).all() and np.isnan(prediction.error) and "error" not in repr(prediction)
        assert np.array_equal(prediction.predicted, result.predict(simulation.train).predicted)
    with pytest.raises(heft.HeftError, match="train: arrays: has no torques"):
        heft.identify(arm, heft.Log(t, q))
    with pytest.raises(heft.HeftError, match="log: arrays: has no torques"):
        heft.moments(arm, heft.Log(t, q))


def test_arguments_of_another_form_are_told_the_right_one(arm, result, arrays):
    t, q, tau = arrays
    with pytest.raises(heft.HeftError, match=r"heft.Log\(t, q, tau\)"):
        heft.identify(arm, {"t": t, "q": q, "tau": tau})
    with pytest.raises(heft.HeftError, match=r"heft.Log\(t, q, tau\)"):
        result.predict(q)
    with pytest.raises(heft.HeftError, match="options as a dictionary"):
        heft.identify(arm, heft.Log(t, q, tau), config="lowpass_hz: 5")


def test_prediction_by_an_answer_of_other_rows(arm, simulation):
    """Torque errors refer to torques whatever was summed: the rows of slow joints are dropped joint by joint."""
    config = {"conditioning.rows": "work", "conditioning.dead_band": 0.05, "estimation.bootstrap": 0}
    result = heft.identify(arm, simulation.train, simulation.held_out, config=config)
    prediction = result.predict(simulation.held_out)
    used = np.isfinite(prediction.measured)
    assert used.any(axis=0).all() and not used.all()
    assert prediction.error == pytest.approx(result.error, rel=1e-9)


def test_doubts_come_from_the_document(result):
    assert result.doubts == sorted(result.to_dict().get("doubts", []), key=lambda d: d["severity"] != "serious")
    document = {**result.to_dict(), "doubts": [
        {"id": "minor", "severity": "minor", "words": "a <small> thing"},
        {"id": "torque-scale", "severity": "serious", "words": "joint_2 is off by 0.01", "remedy": "fix it", "accepted": False}]}
    doubted = heft.Result(None, document)
    assert [d["id"] for d in doubted.doubts] == ["torque-scale", "minor"]
    html = doubted._repr_html_()
    assert "<b>joint_2 is off by 0.01</b>" in html and "a &lt;small&gt; thing" in html
    assert html.index("joint_2 is off") < html.index("<table>")
    assert "1 serious doubt)" in repr(doubted)


def test_page_and_plot(result, tmp_path):
    assert result.report(tmp_path, open=False) == tmp_path.resolve() / "report.html"
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    figure = result.plot()
    assert [len(axes.patches) for axes in figure.axes] == [7, 7]
    figure.savefig(tmp_path / "plot.png")
    assert "heft_demo_arm" in result._repr_html_() and "Held-out error" in result.summary()


def test_bad_arguments(arm, tmp_path):
    with pytest.raises(heft.HeftError, match="train: contains no log"):
        heft.identify(arm, [])
    with pytest.raises(heft.HeftError, match="nowhere.csv"):
        heft.identify(arm, tmp_path / "nowhere.csv")
    with pytest.raises(heft.HeftError, match="nowhere.csv"):
        heft.read_log(tmp_path / "nowhere.csv")
    with pytest.raises(heft.HeftError, match="robot: is a int"):
        heft.identify(3, tmp_path / "nowhere.csv")
    with pytest.raises(heft.HeftError, match="no numeric columns"):
        heft.identify(arm, object())


def test_error_has_its_parts():
    error = heft.HeftError("a.csv:7", "is no number", "fix it")
    assert (error.where, error.what, error.remedy) == ("a.csv:7", "is no number", "fix it")
    assert str(error) == "a.csv:7: is no number\n  remedy: fix it"
    assert pickle.loads(pickle.dumps(error)).remedy == "fix it"


def test_the_program_is_there(tmp_path):
    assert run_program("--version").stdout == f"heft {heft.__version__}\n"
    for words in (["--help"], ["-h"], ["help"]):
        done = run_program(*words)
        assert done.returncode == 0 and "identify thousands of robots" in done.stdout and "convert-log IN OUT" in done.stdout
    done = run_program("fleet", "--help")
    assert "s3://bucket" in done.stdout and "Usage: heft fleet" in done.stdout
    assert "AWS_ALLOW_HTTP" in run_program("fleet", "run", "--help").stdout
    cut = subprocess.run(f"{sys.executable} -m heft_robot fleet --help | head -n 1", shell=True, capture_output=True, text=True)
    assert cut.stderr == "" and cut.stdout.count("\n") == 1
    (tmp_path / "p.urdf").write_text(PENDULUM)
    done = run_program("observe", tmp_path / "p.urdf")
    assert done.returncode == 0 and "bob" in done.stdout
    assert run_program("identify").returncode >= 100
    done = run_program("check", tmp_path / "nowhere.urdf")
    assert done.returncode == 1 and "nowhere.urdf" in done.stdout + done.stderr


def test_a_force_torque_sensor_of_the_configuration(tmp_path):
    """`sensors:` as a dictionary has the effect of the program's file: the link is a body of its own, from a file and from a table."""
    run_program("simulate", "--robot", ARM, "--duration", 6, "--held-out", 1, "--sensor", "gripper", "--out", tmp_path, check=True)
    config = {"conditioning": {"lowpass_hz": 12}, "sensors": {"gripper": {"link": "gripper"}}}
    ours = heft.identify(ARM, tmp_path / "train.csv", config=config)
    assert "gripper" in ours.bodies and "gripper_nz" in [c["channel"] for c in ours.to_dict()["training"]["per_channel"]]
    (tmp_path / "sensor.yaml").write_text("conditioning: {lowpass_hz: 12}\nsensors: {gripper: {link: gripper}}\n")
    run_program("identify", "--robot", ARM, "--log", tmp_path / "train.csv", "--config", tmp_path / "sensor.yaml", "--out", tmp_path / "theirs")
    theirs = json.loads((tmp_path / "theirs" / "result.json").read_text())
    assert ours.to_dict()["bodies"] == theirs["bodies"] and ours.to_dict()["training"] == theirs["training"]
    table = heft.read_log(tmp_path / "train.csv").read()
    assert heft.identify(ARM, table, config=config).to_dict()["bodies"] == theirs["bodies"]
    with pytest.raises(heft.HeftError, match="gripper"):
        heft.identify(ARM, table, config={"sensors": {"gripper": {"link": "griper"}}})


def test_everything_has_words():
    import inspect

    pytest.importorskip("sklearn")

    for name in heft.__all__:
        noun = getattr(heft, name)
        if name == "PARAMETERS":
            continue
        assert inspect.getdoc(noun), name
        if not inspect.isclass(noun) or issubclass(noun, Exception):
            continue
        fields = getattr(noun, "__dataclass_fields__", {})  # the words of the class are theirs
        for method, what in vars(noun).items():
            if not method.startswith("_") and method not in fields:
                assert inspect.getdoc(getattr(what, "func", what)), f"{name}.{method}"


def by_joblib(result):
    joblib, buffer = pytest.importorskip("joblib"), io.BytesIO()
    joblib.dump(result, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


@pytest.mark.parametrize("travel", [lambda r: pickle.loads(pickle.dumps(r)), copy.deepcopy, by_joblib,
                                    lambda r: pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(r))))])
def test_results_travel_whole(result, simulation, tmp_path, travel):
    again = travel(result)
    assert again.to_dict() == result.to_dict() and again.summary() == result.summary() and repr(again) == repr(result)
    assert np.array_equal(again.parameters, result.parameters)
    ours, theirs = result.predict(simulation.held_out), again.predict(simulation.held_out)
    assert theirs.channels == ours.channels and np.array_equal(theirs.t, ours.t)
    assert np.allclose(theirs.predicted, ours.predicted, rtol=1e-7, atol=1e-7)
    result.save(tmp_path / "ours")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "chosen.yaml").write_text("of an earlier result")
    assert again.save(tmp_path / "theirs").keys() == {"result", "page", "robot"}
    assert sorted(os.listdir(tmp_path / "theirs")) == sorted(os.listdir(tmp_path / "ours"))
    for name in os.listdir(tmp_path / "ours"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    assert again.report(tmp_path / "page", open=False).exists() and again.urdf == result.urdf
    assert heft.solve(again.moments).to_dict()["bodies"] == result.to_dict()["bodies"]


def test_results_travel_without_moments_by_choice(result, simulation):
    light = pickle.loads(pickle.dumps(result.without_moments()))
    assert len(pickle.dumps(light)) < len(pickle.dumps(result)) / 2
    assert light.predict(simulation.held_out).error == pytest.approx(result.error, rel=1e-6)
    with pytest.raises(heft.HeftError, match="has no moments"):
        light.moments


def test_logs_travel(arm, simulation, arrays):
    t, q, tau = arrays
    for log in (heft.Log(t, q, tau, name="mine"), heft.Log.from_table(simulation.train.read(), name="table"),
                heft.read_log(simulation.train.name, {"log": {"time": "t"}})):
        again = pickle.loads(pickle.dumps(log))
        assert again.name == log.name and again.columns == log.columns
        ours, theirs = log.read(), again.read()
        assert all(np.array_equal(ours[key], theirs[key]) for key in ours)


def test_verdict_doubts_and_urdf_are_at_hand(result, tmp_path):
    assert (result.verdict.level, result.verdict["words"]) == ("green", result.to_dict()["verdict"]["words"])
    assert str(result.verdict).startswith("green: ") and result.doubts.serious == []
    document = {**result.to_dict(), "doubts": [{"id": "a", "severity": "serious", "accepted": True}, {"id": "b", "severity": "serious"},
                                               {"id": "c", "severity": "minor"}]}
    doubts = heft.Result(None, document).doubts
    assert [d["id"] for d in doubts.serious] == ["b"] and [d["id"] for d in doubts.minor] == ["a", "c"]
    result.save(tmp_path)
    assert result.urdf == (tmp_path / "identified.urdf").read_text()


def test_frames(arm, simulation, result):
    pytest.importorskip("pandas")
    document = result.to_dict()
    base, every, channels = (result.to_frame(of) for of in ("base", "all", "channels"))
    for row in document["uncertainty"]["base_parameters"]:
        if row["half_width"] is not None:
            assert base.loc[row["name"], "high"] == row["estimate"] + row["half_width"]
    assert len(every) == 70 + len(result.columns)
    for body in result.bodies.values():
        assert every.loc[f"{body.name}.m", "value"] == body.mass and every.loc[f"{body.name}.m", "prior"] == body.prior[0]
    for row in document["uncertainty"]["parameters"]:
        assert every.loc[row["name"], "set_by_prior"] == row["set_by_prior"]
        assert np.isnan(every.loc[row["name"], "low"]) == (row["interval"] is None)
    assert list(every.index[70:]) == list(result.columns)
    assert channels.loc["joint_2", "rms_error"] == document["validation"]["per_channel"][1]["rms_error"]
    with pytest.raises(heft.HeftError, match="is not a table"):
        result.to_frame("everything")
    with pytest.raises(heft.HeftError, match="no intervals"):
        heft.identify(arm, simulation.train, config={"estimation.solver": "ols"}).to_frame()


def test_datetimes_are_times(arm, simulation, result):
    """Stamps of any unit and time zone give the result of seconds, up to their rounding to nanoseconds."""
    pandas = pytest.importorskip("pandas")
    table = simulation.train.read()
    frame = pandas.DataFrame(table)
    stamps = pandas.Timestamp("2026-11-28T07:00:00") + pandas.to_timedelta(frame["t"], unit="s")
    index = frame.drop(columns="t").set_axis(pandas.DatetimeIndex(stamps, name="recorded"))
    zone, plain = frame.assign(t=stamps.dt.tz_localize("Europe/Berlin")), frame.assign(t=stamps)
    mapping = {**table, "t": stamps.to_numpy()}
    q, tau = (np.column_stack([table[f"{what}_{joint}"] for joint in arm.joints]) for what in ("q", "tau"))
    seconds = heft.identify(arm, simulation.train)
    for log in (index, zone, plain, mapping, heft.Log(stamps, q, tau), heft.Log(pandas.DatetimeIndex(stamps), q, tau),
                heft.Log(list(stamps), q, tau), heft.Log(stamps.to_numpy(), q, tau)):
        assert np.allclose(heft.identify(arm, log).parameters, seconds.parameters, rtol=1e-6, atol=1e-6)
    assert "recorded" in heft.Log.from_table(index).columns
    with pytest.raises(heft.HeftError, match="without a unit"):
        heft.Log(np.arange(3).astype("timedelta64"), np.zeros((3, 7)))


def test_no_leak_messages_at_exit(tmp_path):
    code = "import heft_robot as heft, sys; sys.kept = heft.Robot.from_urdf(sys.argv[1]); sys.kept.regressor([[0] * 7], [[0] * 7], [[0] * 7])"
    done = subprocess.run([sys.executable, "-c", code, ARM], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("observer", ["causal", "zero_phase"])
def test_torques_from_outside(arm, result, simulation, tmp_path, observer):
    """Arrays, a table and the file give the program's result (tests/tools/row_kinds.py knows the push), from a Result and from its
    folder."""
    log = simulation.held_out
    table = log.read()
    table["tau_joint_2"][(table["t"] > 2) & (table["t"] < 2.5)] -= 20  # a push that helps the motor
    path = tmp_path / "pushed.csv"
    np.savetxt(path, np.column_stack(list(table.values())), delimiter=",", header=",".join(table), comments="", fmt="%.17g")
    result.save(tmp_path / "model")
    done = run_program("predict", "--model", tmp_path / "model", "--log", path, f"--external-torque={observer}", "--out",
                       tmp_path / "theirs.csv")
    assert done.returncode == 0, done.stderr
    theirs = heft.read_log(tmp_path / "theirs.csv").read()
    q, tau = (np.column_stack([table[f"{what}_{joint}"] for joint in arm.joints]) for what in ("q", "tau"))
    for model, given in ((result, path), (tmp_path / "model", path), (result, table), (result, heft.Log(table["t"], q, tau))):
        seen = heft.predict(model, given, external_torque=observer)
        assert seen.external.shape == (len(seen.t), 7) and seen.alarm.any()
        for k, joint in enumerate(arm.joints):
            assert np.array_equal(seen.external[:, k], theirs[f"external_{joint}"], equal_nan=True), joint
        assert np.array_equal(seen.alarm, theirs["alarm"] == 1)
    plain = heft.predict(result, path)
    assert plain.external is None and np.array_equal(plain.t, seen.t)
    with pytest.raises(heft.HeftError, match="unknown observer"):
        heft.predict(result, path, external_torque="casual")


def test_a_wrong_value_in_a_mapping_is_named(arm, simulation):
    for config, place in (({"log": {"torque_scale": {"joint_2": "twice"}}}, r"torque_scale of joint_2.*twice"),
                          ({"log": {"position": ["q{i}", {"a": 1}]}}, r"position\[1\]"),
                          ({"robot": {"gravity": [0, "x", 1]}}, r"gravity\[1\].*x")):
        with pytest.raises(heft.HeftError, match=place):
            heft.moments(arm, simulation.train, config)
