"""The whole way: the program's answer, files and words; moments; bad input; threads, signals, forks."""
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import heft_robot as heft
from conftest import ARM, LENGTH, MASS, PENDULUM, SOURCE, Swing, without_timings


def run_program(*words, **options):
    return subprocess.run([sys.executable, "-m", "heft_robot", *map(str, words)], capture_output=True, text=True, **options)


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
    with pytest.raises(heft.HeftError, match="read from a file"):
        again.save(tmp_path / "third")


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
    firmer = heft.solve(result.moments, {"estimation": {"prior_weight": 10}})
    prior = np.concatenate([body.prior for body in result.bodies.values()])
    distance = [np.linalg.norm(r.parameters[:70] - prior) for r in (firmer, result)]
    assert distance[0] < distance[1]
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
    """One body, rows of noise-free torque: the answer is the truth."""
    rng = np.random.default_rng(3)
    truth = heft.convert([2, 0.1, 0.2, 0.3, 0.01, 0, 0, 0.02, 0, 0.025], "urdf", "heft").bodies[0]
    Y = rng.normal(size=(100, 10))
    batch = heft.solve_batch([heft.Problem.from_equations(1e8 * Y.T @ Y, 1e8 * Y.T @ (Y @ truth), 1e8 * np.sum((Y @ truth) ** 2), 100,
                                                          0.8 * truth)])
    assert batch.certified[0] and np.allclose(batch.parameters[0], truth, rtol=1e-5, atol=1e-6)
    with pytest.raises(heft.HeftError, match=r"G: has the shape \(9, 9\).*\(10, 10\)"):
        heft.Problem.from_equations(np.eye(9), np.zeros(9), 1, 9, truth)


def test_prediction(arm, simulation, result, tmp_path):
    prediction = result.predict(simulation.held_out)
    assert prediction.predicted.shape == (len(prediction.t), 7) and prediction.channels == arm.joints
    assert prediction.error == pytest.approx(result.error, rel=1e-9)
    result.save(tmp_path)
    of_files = heft.predict(tmp_path, simulation.held_out.name, tmp_path / "predicted.csv")
    assert np.allclose(of_files.predicted, prediction.predicted, rtol=1e-7, atol=1e-7)


def test_doubts_come_from_the_document(result):
    assert result.doubts == sorted(result.to_dict().get("doubts", []), key=lambda d: d["severity"] != "serious")
    document = {**result.to_dict(), "doubts": [
        {"id": "minor", "severity": "minor", "words": "a <small> thing"},
        {"id": "torque-scale", "severity": "serious", "words": "joint_2 is off by 0.01", "remedy": "mend it", "accepted": False}]}
    doubted = heft.Result(None, document)
    assert [d["id"] for d in doubted.doubts] == ["torque-scale", "minor"]
    html = doubted._repr_html_()
    assert "<b>joint_2 is off by 0.01</b>" in html and "a &lt;small&gt; thing" in html
    assert html.index("joint_2 is off") < html.index("<table>")
    assert "1 serious doubts" in repr(doubted)


def test_page_and_plot(result, tmp_path):
    assert result.report(tmp_path, open=False) == tmp_path.resolve() / "report.html"
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    figure = result.plot()
    assert [len(axes.patches) for axes in figure.axes] == [7, 7]
    figure.savefig(tmp_path / "plot.png")
    assert "heft_demo_arm" in result._repr_html_() and "Held-out error" in result.summary()


def test_progress_is_heard_and_may_stop(pendulum, swing):
    heard = []
    heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau), progress=lambda stage, fraction: heard.append((stage, fraction)))
    assert heard and all(isinstance(stage, str) and 0 <= fraction <= 1 for stage, fraction in heard)
    with pytest.raises(heft.Stopped):
        heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau), progress=lambda stage, fraction: False)

    def broken(stage, fraction):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau), progress=broken)


def test_a_keyboard_interrupt_stops(pendulum):
    swing = Swing(3_000_000)
    log = heft.Log(swing.t, swing.q, swing.tau)
    threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            heft.moments(pendulum, log)
    assert time.monotonic() - begin < 30


def test_other_threads_run_meanwhile(pendulum, swing):
    """The lock is released: a thread of Python counts while another identifies; and calls side by side agree."""
    expected = heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau)).parameters.copy()
    answers, counted = [], [0]

    def identify():
        answers.append(heft.identify(pendulum, heft.Log(swing.t, swing.q, swing.tau)).parameters)

    threads = [threading.Thread(target=identify) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        counted[0] += 1
    assert counted[0] > 0 and len(answers) == 4
    assert all(np.array_equal(answer, expected) for answer in answers)


def test_fork_after_threads(pendulum, swing):
    """The library keeps no threads, so a child that was forked after a call may call again."""
    log = heft.Log(swing.t, swing.q, swing.tau)
    expected = heft.moments(pendulum, log).normal_equations()[0]
    child = os.fork()
    if child == 0:
        try:
            same = np.array_equal(heft.moments(pendulum, log).normal_equations()[0], expected)
            os._exit(0 if same else 1)
        except BaseException:
            os._exit(2)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def test_bad_arguments(arm, tmp_path):
    with pytest.raises(heft.HeftError, match="train: holds no log"):
        heft.identify(arm, [])
    with pytest.raises(heft.HeftError, match="nowhere.csv"):
        heft.identify(arm, tmp_path / "nowhere.csv")
    with pytest.raises(heft.HeftError, match="nowhere.csv"):
        heft.read_log(tmp_path / "nowhere.csv")
    with pytest.raises(heft.HeftError, match="robot: is a int"):
        heft.identify(3, tmp_path / "nowhere.csv")
    with pytest.raises(heft.HeftError, match="no columns of numbers"):
        heft.identify(arm, object())


def test_error_has_its_parts():
    error = heft.HeftError("a.csv:7", "is no number", "mend it")
    assert (error.where, error.what, error.remedy) == ("a.csv:7", "is no number", "mend it")
    assert str(error) == "a.csv:7: is no number\n  remedy: mend it"
    assert pickle.loads(pickle.dumps(error)).remedy == "mend it"


def test_a_package_that_is_missing(tmp_path):
    """Without scikit-learn and matplotlib the rest works, and the error says what to install."""
    code = """
import sys
sys.modules["sklearn"] = sys.modules["matplotlib"] = None
import heft_robot as heft
for use in (lambda: heft.Identifier, lambda: heft.Result(None, {"bodies": [], "robot": "r"}).plot()):
    try:
        use()
    except heft.MissingPackage as error:
        print(error.where, error.remedy)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "scikit-learn pip install scikit-learn" in done.stdout and "matplotlib pip install matplotlib" in done.stdout


def test_the_program_is_there(tmp_path):
    assert run_program("--version").stdout == f"heft {heft.__version__}\n"
    (tmp_path / "p.urdf").write_text(PENDULUM)
    done = run_program("observe", tmp_path / "p.urdf")
    assert done.returncode == 0 and "bob" in done.stdout
    assert run_program("identify").returncode >= 100
    done = run_program("check", tmp_path / "nowhere.urdf")
    assert done.returncode == 1 and "nowhere.urdf" in done.stdout + done.stderr


def test_everything_has_words():
    import inspect

    pytest.importorskip("sklearn")

    for name in heft.__all__:
        noun = getattr(heft, name)
        if name != "PARAMETERS":
            assert inspect.getdoc(noun), name


def test_results_pickle(result):
    again = pickle.loads(pickle.dumps(result))
    assert again.to_dict() == result.to_dict() and again.certified and again.summary() == result.summary()
    assert np.array_equal(again.bodies["forearm"].parameters, result.bodies["forearm"].parameters)
    with pytest.raises(heft.HeftError, match="neither moments"):
        again.save("nowhere")


def test_torques_from_outside(result, simulation, tmp_path):
    """A push of 20 N m on joint 2 for half a second is found where it was, and nowhere else."""
    log = simulation.held_out
    table = log.read()
    pushed = (table["t"] > 2) & (table["t"] < 2.5)
    table["tau_joint_2"] = table["tau_joint_2"] - 20 * pushed  # it helps the motor
    np.savetxt(tmp_path / "pushed.csv", np.column_stack(list(table.values())), delimiter=",", header=",".join(table), comments="",
               fmt="%.12g")
    seen = heft.predict(result, tmp_path / "pushed.csv", external_torque="causal")
    inside = (seen.t > 2.2) & (seen.t < 2.45)
    assert abs(np.nanmedian(seen.external[inside, 1]) - 20) < 2 and seen.alarm[inside].all()
    before = (seen.t > 1) & (seen.t < 1.9)
    assert not seen.alarm[before].any() and np.nanmax(np.abs(seen.external[before])) < 10
    plain = heft.predict(result, tmp_path / "pushed.csv")
    assert plain.external is None and np.array_equal(plain.t, seen.t)
    with pytest.raises(heft.HeftError, match="no observer"):
        heft.predict(result, tmp_path / "pushed.csv", external_torque="casual")


def test_a_wrong_value_in_a_mapping_is_named(arm, simulation):
    for config, place in (({"log": {"torque_scale": {"joint_2": "twice"}}}, r"torque_scale of joint_2.*twice"),
                          ({"log": {"position": ["q{i}", {"a": 1}]}}, r"position\[1\]"),
                          ({"robot": {"gravity": [0, "x", 1]}}, r"gravity\[1\].*x")):
        with pytest.raises(heft.HeftError, match=place):
            heft.moments(arm, simulation.train, config)
