"""Motions for identification: their design, their assessment and their limits."""
import dataclasses
import json

import numpy as np
import pytest

import heft_robot as heft


@pytest.fixture(scope="module")
def design(arm):
    return heft.excite(arm, 4, rate=200, starts=1, seed=3, config={"limits": {"velocity": {"scale": 0.5}}})


def test_arrays_of_a_design(arm, design):
    """The files of a design are consistent; tests/tools/excite.py checks that they keep the limits."""
    assert design.status == "feasible" and design.infeasible_because is None
    assert design.q.shape == design.qd.shape == design.qdd.shape == design.tau.shape == (801, 7)
    # derivatives belong together, and the torque is the regressor's of the file
    assert np.abs(np.gradient(design.q, design.t, axis=0) - design.qd)[1:-1].max() < 1e-3
    tau = arm.regressor(design.q, design.qd, design.qdd) @ arm.prior.ravel()
    assert np.abs(tau - design.tau).max() < 1e-9 * np.abs(tau).max()
    assert "feasible" in str(design) and "801" in repr(design)


def test_files(arm, design, tmp_path):
    design.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "design.json", "report.html", "trajectory.csv", "trajectory.json", "trajectory.ros2.yaml"]
    assert json.loads((tmp_path / "design.json").read_text()) == design.to_dict()
    # twelve digits in the file
    assert heft.judge(arm, tmp_path / "trajectory.csv").log_det == pytest.approx(heft.judge(arm, design).log_det, rel=1e-9)


def test_page(design, tmp_path):
    page = design.report(tmp_path / "motion", open=False)
    assert page == (tmp_path / "motion" / "report.html").resolve() and page.exists()
    elsewhere = design.report(open=False)
    assert elsewhere.exists() and elsewhere.parent.name.startswith("heft_design_")


def test_judged_motions(arm, simulation, design):
    # the search sums over samples of its own, at another rate: as sure to two per cent a parameter
    same = heft.judge(arm, design)
    assert same.log_det == pytest.approx(design.log_det, abs=0.02 * 70)
    of_positions = heft.judge(arm, (design.t, design.q))
    assert of_positions.log_det == pytest.approx(same.log_det, rel=1e-3)
    at_rest = heft.judge(arm, (design.t, np.zeros_like(design.q)))
    assert at_rest.log_det < design.log_det - 10
    # what is known is not asked again
    known = heft.judge(arm, design, known=heft.moments(arm, simulation.train))
    assert known.log_det_prior > design.log_det_prior + 10


def test_options_of_a_design(arm, design, tmp_path):
    """The flags of `heft excite`."""
    config = {"limits": {"velocity": {"scale": 0.5}}}
    q = np.zeros((3, 7))
    other = heft.excite(arm, 4, rate=200, starts=1, seed=3, config=config, from_design=design, against=(design.t, 0.5 * design.q),
                        speed=0.25, floor=-0.2, task=(q,), objective="i",
                        obstacles=[{"name": "post", "sphere": {"radius": 0.05}, "position": [1.5, 1.5, 0.3]}])
    document = other.to_dict()
    assert other.status == "feasible" and document["d_efficiency_vs_judged"] > 1
    assert [obstacle["name"] for obstacle in other.obstacles] == ["floor", "post"] and design.obstacles == []
    assert all(obstacle["nearest"]["distance"] > 0 for obstacle in other.obstacles)
    assert other._repr_html_().count("post") == 1
    assert document["slow"]["speed"] == 0.25 and document["task"]["states"] == 3
    other.save(tmp_path)
    assert (tmp_path / "slow.csv").exists()
    # by its coefficients it is proved, and the file says the same
    for judged in (heft.judge(arm, other, config=config), heft.judge(arm, tmp_path / "trajectory.json", config=config)):
        assert all(use["proved"] for use in judged.limits)
    longer = heft.excite(arm, 2, starts=1, until_mass=0.4, config=config, ignore_collisions=True)
    assert longer.to_dict()["motion"]["duration_s"] > 2
    start = {joint: 0.1 for joint in arm.joints}
    begins = heft.excite(arm, 4, starts=1, start=start, motion="fourier_rest", config=config, ignore_collisions=True)
    assert np.abs(begins.q[[0, -1]] - 0.1).max() < 1e-9 and np.abs(begins.qd[0]).max() < 1e-9
    with pytest.raises(heft.HeftError, match="ball"):
        heft.excite(arm, 4, obstacles=[{"name": "x", "ball": 1}])


def spline(u, order):
    """The quintic B-spline on 0 .. 6, from truncated powers."""
    from math import comb, factorial

    return sum((-1)**i * comb(6, i) * np.maximum(u - i, 0)**(5 - order) for i in range(7)) / factorial(5 - order)


def test_scores_against_numpy(arm):
    """log det from the regressor and numpy; extremes from a spline of truncated powers; gradients from differences."""
    seconds, samples, intervals, width = 5.0, 60, 10, 0.05
    random = np.random.default_rng(2)
    C = 0.3 * random.normal(size=(4, intervals - 3, 7))
    scores = heft.score(arm, C, seconds, intervals=intervals, samples=samples, gradient=True,
                        config={"limits": {"torque": {"deviations": 0}},
                                "beliefs": {name: [1.0] * 7 for name in ("noise", "viscous", "coulomb", "rotor")},
                                "columns": ["viscous", {"coulomb": {"tanh_width": width}}, "reflected_inertia"]})
    assert scores.value.shape == (4,) and scores.gradient.shape == C.shape and scores.extremes.shape == (4, 5, 7)
    t = np.arange(samples) * seconds / samples
    h = seconds / intervals
    orders = []
    for order in range(4):
        functions = np.zeros((samples, intervals - 3))
        for i in range(intervals + 5):
            functions[:, np.clip(i - 4, 0, intervals - 4)] += spline(t / h - i + 5, order) / h**order
        assert np.abs(functions - heft.motion_basis(t, seconds, intervals=intervals, order=order)).max() < 1e-9 / h**order
        orders.append(functions)
    known = np.zeros((91, 91))
    for b, body in enumerate(arm.prior):
        inverse = np.linalg.inv(pseudo_inertia(body))
        turned = [inverse @ pseudo_inertia(unit) for unit in np.eye(10)]
        known[10 * b:10 * b + 10, 10 * b:10 * b + 10] = [[np.trace(x @ y) / 0.25 for y in turned] for x in turned]
    known[70:, 70:] = np.eye(21)
    for i in range(4):
        q, qd, qdd, jerk = (functions @ C[i] for functions in orders)
        rows = arm.regressor(q, qd, qdd)
        information = known.copy()
        for Y, v, a in zip(rows, qd, qdd):
            Y = np.hstack([Y, np.diag(v), np.diag(np.tanh(v / width)), np.diag(a)])
            information += 20 * seconds / samples * Y.T @ Y
        assert scores.value[i] == pytest.approx(-np.linalg.slogdet(information)[1], rel=1e-9)
        tau = rows @ arm.prior.ravel()
        assert scores.extremes[i, 4] == pytest.approx(np.abs(tau).max(0) / [120, 120, 80, 80, 40, 40, 20], rel=1e-9)


def pseudo_inertia(pi):
    tensor = np.array([[pi[4], pi[5], pi[7]], [pi[5], pi[6], pi[8]], [pi[7], pi[8], pi[9]]])
    J = np.zeros((4, 4))
    J[:3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    J[:3, 3] = J[3, :3] = pi[1:4]
    J[3, 3] = pi[0]
    return J


def test_gradients_of_several_robots(arm, pendulum):
    """One batch; derivatives along random directions equal differences."""
    random = np.random.default_rng(5)
    shapes = [heft.motion_basis([0.0], 4, motion="fourier").shape[1]] * 2
    C = [0.3 * random.normal(size=(3, rows, joints)) for rows, joints in zip(shapes, (7, 1))]
    whole = heft.score([arm, pendulum], C, 4, motion="fourier", gradient=True)
    assert all(np.isfinite(scores.gradient).all() for scores in whole)
    step = 1e-6
    for robot, coefficients, scores in zip((arm, pendulum), C, whole):
        direction = random.normal(size=coefficients.shape)
        ahead, behind = (heft.score(robot, coefficients + sign * step * direction, 4, motion="fourier", threads=threads).value
                         for sign, threads in ((1, 1), (-1, 3)))
        slopes = (scores.gradient * direction).sum(axis=(1, 2))
        assert slopes == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)
    assert heft.score(arm, C[0][1], 4, motion="fourier").value[0] == whole[0].value[1]
    design = heft.excite(arm, 4, starts=1, ignore_collisions=True)
    scores = heft.score(arm, design.coefficients, 4, intervals=design.to_dict()["motion"]["intervals"], samples=400)
    assert scores.extremes.max() <= 1 and -scores.value[0] == pytest.approx(design.log_det, abs=0.1)


def test_progress_and_stop(arm):
    with pytest.raises(heft.Stopped):
        heft.excite(arm, 4, progress=lambda stage, fraction: False)


def test_bad_input(arm, design):
    with pytest.raises(heft.HeftError, match="velocity"):
        heft.excite(arm, 4, config={"limits": {"velocty": {}}})
    with pytest.raises(heft.HeftError, match="unknown choice 'splin'"):
        heft.excite(arm, 4, motion="splin")
    with pytest.raises(heft.HeftError, match="duration"):
        heft.excite(arm, -1)
    with pytest.raises(heft.HeftError, match=r"\(3,\).*|\(7,\)"):
        heft.excite(arm, 4, start=np.zeros(3))
    with pytest.raises(heft.HeftError, match="nowhere.yaml"):
        heft.excite(arm, 4, config="nowhere.yaml")
    with pytest.raises(heft.HeftError, match="qd: has shape"):
        heft.judge(arm, (design.t, design.q, design.qd[:, :3], design.qdd))
    with pytest.raises(heft.HeftError, match="not finite"):
        heft.judge(arm, (design.t, np.full_like(design.q, np.nan)))
    with pytest.raises(heft.HeftError, match="does not increase"):
        heft.judge(arm, (design.t[::-1], design.q))
    with pytest.raises(heft.HeftError, match=r"expected \(n, 5, 7\)"):
        heft.score(arm, np.zeros((6, 7)), 4, intervals=8)
    with pytest.raises(heft.HeftError, match="not finite"):
        heft.score(arm, np.full((5, 7), np.nan), 4, intervals=8)
    with pytest.raises(heft.HeftError, match="order"):
        heft.motion_basis([0.0], order=6)
    with pytest.raises(heft.HeftError, match="known: is a int"):
        heft.excite(arm, 4, known=3)


def test_information_is_what_rows_add_up_to(arm):
    """Motions from scipy's splines and numpy's series."""
    from scipy.interpolate import BSpline

    rng = np.random.default_rng(5)
    dt, samples, interval = 0.02, 61, 0.4
    t, weights = dt * np.arange(samples), rng.uniform(0.5, 2, 7)

    def summed(q, qd, qdd):
        rows = arm.regressor(q, qd, qdd)
        return np.einsum("ncp,c,ncq->pq", rows, weights, rows)

    control = rng.normal(size=(3, 9, 7))
    found = heft.information(arm, heft.SplineMotions(control, interval, dt, samples), weights=weights)
    for G, points in zip(found, control):
        spline = BSpline(interval * np.arange(-5, 10), points, 5)
        expected = summed(spline(t), spline(t, 1), spline(t, 2))
        assert np.linalg.norm(G - expected) < 1e-12 * np.linalg.norm(expected)

    centre, sine, cosine = rng.normal(size=(2, 7)), *rng.normal(size=(2, 2, 3, 7))
    series = heft.FourierMotions(centre, sine, cosine, 1.1, dt, samples)
    for precision, tolerance in (("double", 1e-12), ("single", 1e-5)):
        for i, G in enumerate(heft.information(arm, series, weights=weights, precision=precision)):
            q, qd, qdd = np.tile(centre[i], (samples, 1)), np.zeros((samples, 7)), np.zeros((samples, 7))
            for h in range(3):
                w, a, b = 1.1 * (h + 1), sine[i, h], cosine[i, h]
                sin, cos = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
                q, qd, qdd = q + a * sin + b * cos, qd + w * (a * cos - b * sin), qdd - w * w * (a * sin + b * cos)
            expected = summed(q, qd, qdd)
            assert np.linalg.norm(G - expected) < tolerance * np.linalg.norm(expected)


def test_information_refuses_what_does_not_fit(arm):
    motions = heft.SplineMotions(np.zeros((2, 9, 7)), 0.4, 0.02, 61)
    for change, text in (({"control": np.zeros((2, 9, 6))}, r"control.*\(2, 9, 6\).*\(n, coefficients, 7\)"),
                         ({"control": np.full((2, 9, 7), np.nan)}, "motion"),
                         ({"samples": 100}, "its samples are from 0 s to 1.98 s, its spline is from 0 to 1.6 s")):
        with pytest.raises(heft.HeftError, match=text):
            heft.information(arm, dataclasses.replace(motions, **change))
    with pytest.raises(heft.HeftError, match="6 weights for 7 channels"):
        heft.information(arm, motions, weights=np.ones(6))
    with pytest.raises(heft.HeftError, match="precision.*'half'"):
        heft.information(arm, motions, precision="half")
    with pytest.raises(heft.HeftError, match="motions.*list"):
        heft.information(arm, [1, 2])
    assert heft.information(arm, dataclasses.replace(motions, control=np.zeros((0, 9, 7)))).shape[0] == 0
