"""Motions to record: designed, judged, within their limits."""
import json

import numpy as np
import pytest

import heft_robot as heft


@pytest.fixture(scope="module")
def design(arm):
    return heft.excite(arm, 4, rate=200, starts=1, seed=3, config={"limits": {"velocity": {"scale": 0.5}}})


def test_arrays_of_a_design(arm, design):
    """They belong together; that the files keep the limits says tests/tools/excite.py."""
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


def test_progress_and_stop(arm):
    with pytest.raises(heft.Stopped):
        heft.excite(arm, 4, progress=lambda stage, fraction: False)


def test_bad_input(arm, design):
    with pytest.raises(heft.HeftError, match="velocity"):
        heft.excite(arm, 4, config={"limits": {"velocty": {}}})
    with pytest.raises(heft.HeftError, match="no 'splin'"):
        heft.excite(arm, 4, motion="splin")
    with pytest.raises(heft.HeftError, match="duration"):
        heft.excite(arm, -1)
    with pytest.raises(heft.HeftError, match=r"\(3,\).*|\(7,\)"):
        heft.excite(arm, 4, start=np.zeros(3))
    with pytest.raises(heft.HeftError, match="nowhere.yaml"):
        heft.excite(arm, 4, config="nowhere.yaml")
    with pytest.raises(heft.HeftError, match="qd: has the shape"):
        heft.judge(arm, (design.t, design.q, design.qd[:, :3], design.qdd))
    with pytest.raises(heft.HeftError, match="not finite"):
        heft.judge(arm, (design.t, np.full_like(design.q, np.nan)))
    with pytest.raises(heft.HeftError, match="does not rise"):
        heft.judge(arm, (design.t[::-1], design.q))
    with pytest.raises(heft.HeftError, match="known: is a int"):
        heft.excite(arm, 4, known=3)
