"""Observability, checks, simulation, conventions."""
import numpy as np
import pytest

import heft_robot as heft
from conftest import ARM


def test_observe(arm):
    seen = heft.observe(arm)
    assert seen.base_matrix.shape == (seen.num_base, len(seen.labels)) == (len(seen.base_parameters), 70)
    # what no measurement notices changes no torque
    rng = np.random.default_rng(5)
    rows = arm.regressor(*rng.normal(size=(3, 50, 7)))
    assert np.abs(rows @ seen.null_matrix).max() < 1e-10 * np.abs(rows).max()
    assert np.linalg.matrix_rank(rows.reshape(-1, 70)) == seen.num_base
    assert seen.to_dict()["num_base"] == seen.num_base and "upper_arm_1" in str(seen)
    assert heft.observe(arm, static_only=True).num_base < seen.num_base
    html = seen._repr_html_()
    assert f"<b>{seen.num_base}</b> base parameters of 70" in html and html.count("<tr>") == 71


def test_check_and_fix(arm, simulation, tmp_path):
    assert heft.check(ARM).errors == []
    text = ARM.read_text().replace('ixx="', 'ixx="-', 1)
    (tmp_path / "broken.urdf").write_text(text)
    report = heft.check(tmp_path / "broken.urdf")
    assert report.errors and report.errors[0]["remedy"] and report.errors[0]["name"] in str(report)
    assert "broken.urdf" in report._repr_html_() and "error" in report._repr_html_()
    html, findings = heft.check(ARM)._repr_html_(), heft.check(ARM).findings
    assert html.count("<tr>") == (len(findings) + 1 if findings else 0) and ("no findings" in html) == (not findings)
    assert heft.fix(tmp_path / "broken.urdf", tmp_path / "fixed.urdf")
    assert heft.check(tmp_path / "fixed.urdf").errors == []


def test_check_of_logs(arm, simulation, arrays):
    """Findings about arrays equal those about the file that contains them; a robot is what was read, wherever its file is."""
    from_memory = heft.Robot.from_urdf_text(ARM.read_text(), "nowhere.urdf")
    assert heft.check(from_memory).findings == [
        {**finding, "where": finding["where"].replace(str(ARM), "nowhere.urdf")} for finding in heft.check(ARM).findings]
    t, q, tau = arrays
    wrong = tau.copy()
    wrong[:, 1] *= -1  # a motor whose torque is logged the other way round
    table = {**simulation.train.read(), "tau_joint_2": wrong[:, 1]}

    def said(report):
        return [(finding["name"], finding["severity"], finding["measure"]) for finding in report.findings]

    assert heft.check(arm, simulation.train).errors == []
    assert said(heft.check(arm, heft.Log(t, q, tau))) == said(heft.check(ARM, simulation.train.name))
    turned = heft.check(from_memory, heft.Log(t, q, wrong, name="run 5"))
    assert turned.path == "run 5" and all(finding["where"].startswith("run 5") for finding in turned.findings)
    assert ("torque-reversed", "tau2") in {(finding["name"], finding["subject"]) for finding in turned.findings}
    assert said(turned) == said(heft.check(arm, table))
    with pytest.raises(heft.HeftError, match=r"\(7, 1\).*\(7, 7\)"):
        heft.check(arm, heft.Log(np.arange(7.0), np.zeros(7), np.zeros(7)))


def test_simulation(arm, simulation, result):
    assert sorted(path.name for path in simulation.directory.iterdir()) == ["held_out.csv", "train.csv", "truth.json"]
    # torque of the truth explains the log but for its noise of one per cent; the file's own inertias do not
    assert result.error < 0.02 and len(simulation.truth) == 70 + 14
    with pytest.raises(heft.HeftError, match="not an option"):
        heft.simulate(arm, simulation.directory / "x", fricton=1)
    with pytest.raises(heft.HeftError, match="positive"):
        heft.simulate(arm, simulation.directory / "x", duration=-1)
    for name, value in (("speed", 5), ("torque_noise", float("nan")), ("perturbation", -1)):
        with pytest.raises(heft.HeftError) as error:
            heft.simulate(arm, simulation.directory / "x", **{name: value})
        assert error.value.where == name
    assert not (simulation.directory / "x").exists()


def test_conversion():
    """A URDF's inertia about its center of mass, moved to the origin by Steiner's theorem."""
    urdf = np.array([[2.5, 0.1, 0, 0.05, 0.02, 0, 0.001, 0.03, 0, 0.015]])
    done = heft.convert(urdf, "urdf", "heft", jacobian=True)
    c = np.array([0.1, 0, 0.05])
    tensor = np.array([[0.02, 0, 0.001], [0, 0.03, 0], [0.001, 0, 0.015]]) + 2.5 * (c @ c * np.eye(3) - np.outer(c, c))
    expected = [2.5, *(2.5 * c), *tensor[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]]
    assert np.allclose(done.bodies[0], expected, rtol=1e-15, atol=1e-17) and done.status == ["ok"]
    step = 1e-7
    moved = heft.convert(urdf[0] + step * np.eye(10), "urdf", "heft").bodies
    assert np.allclose(done.jacobians[0], ((moved - done.bodies) / step).T, atol=1e-6)
    assert np.allclose(heft.convert(done.bodies, "heft", "urdf").bodies, urdf, atol=1e-15)
    assert heft.convert(done.bodies, "heft", "manifold").bodies.shape == (1, 11)
    assert heft.convert([-1, *[0] * 9], "heft", "log_cholesky").status == ["impossible"]
    with pytest.raises(heft.HeftError, match="pinocchio"):
        heft.convert(urdf, "urdf", "pinochio")
    with pytest.raises(heft.HeftError, match="prior"):
        heft.convert(urdf, "urdf", "exponential_at_prior")


def test_distance(arm):
    far = heft.distance(2 * arm.prior, arm.prior)
    # J and 2 J: every eigenvalue is 2
    assert np.allclose(far["affine_invariant"], np.sqrt(0.5 * 4) * np.log(2))
    assert np.allclose(far["entropic_ab"], 4 * (1 - np.log(2))) and np.allclose(far["pullback"], 4)
    assert np.abs(heft.distance(arm.prior, arm.prior)["affine_invariant"]).max() < 1e-7
    with pytest.raises(heft.HeftError, match=r"\(3, 10\).*\(7, 10\)"):
        heft.distance(arm.prior, arm.prior[:3])


def test_designs_show_themselves(arm):
    t = np.linspace(0, 4, 401)
    design = heft.judge(arm, (t, 0.1 * np.sin(t)[:, None] * np.arange(1, 8)))
    html = design._repr_html_()
    assert html.startswith(f"<div><b>{design.status}</b>: 401 samples, 4 s")
    assert html.count("<tr>") == 2 + len(design.limits) + len(design.parameters)
    assert all(f">{limit['name']}</td>" in html for limit in design.limits)
