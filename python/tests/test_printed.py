"""The printed form of results, and the errors for wrong names."""
import copy
import pickle

import numpy as np
import pytest

import heft_robot as heft


def test_a_body_prints_its_mass_with_the_interval(result):
    document = result.to_dict()
    rows = {row["name"]: row for row in document["uncertainty"]["parameters"]}
    seen = set()
    for name, body in result.bodies.items():
        row = rows[f"{name}.m"]
        by_prior = row["set_by_prior"]
        seen.add(by_prior)
        text = str(body)
        assert name in text and f"{body.mass:.4g} kg" in text and f"{body.com[2]:.4f}]" in text
        assert (f"{body.mass:.4g} kg (set by the prior)" in text) == by_prior
        assert ("m" in body.set_by_prior) == by_prior and (body.com_by_prior == "xyz") >= by_prior
        if row["interval"] is None:
            assert np.isnan(body.mass_interval).all()
        else:
            assert list(body.mass_interval) == row["interval"]
            assert by_prior or "95 %: {:.4g} to {:.4g}".format(*row["interval"]) in text
    assert seen == {True, False}


def test_a_part_of_a_center_of_mass_may_be_set_by_the_prior():
    parameters = np.array([2, 0.1, 0.2, -0.4, 1, 0, 1, 0, 0, 1])
    body = heft.Body("hand", None, parameters, parameters, (1.9, 2.1), ("mcz", "Ixx"))
    assert str(body) == "Body('hand', 2 kg (95 %: 1.9 to 2.1), center of mass [0.0500, 0.1000, -0.2000] m (z set by the prior))"
    assert "kg, center" in str(heft.Body("hand", None, parameters, parameters))


def test_bodies_print_as_a_table(result):
    lines = str(result.bodies).splitlines()
    assert len(lines) == 1 + len(result.bodies) and "mass [kg]" in lines[0] and "95 % interval" in lines[0]
    assert sum("set by the prior" in line for line in lines) == sum(body.com_by_prior != "" for body in result.bodies.values())
    html = result.bodies._repr_html_()
    assert html.count("<tr>") == len(lines) and html in result._repr_html_()


def test_a_wrong_name_is_answered_with_the_nearest(arm, result):
    for mapping, wrong, near in ((result.bodies, "forarm", "forearm"), (result.bodies, "Forearm", "forearm"),
                                 (result.columns, "viscous joint1", "viscous joint_1")):
        with pytest.raises(heft.UnknownName, match=f"unknown name '{wrong}'") as error:
            mapping[wrong]
        assert isinstance(error.value, KeyError) and isinstance(error.value, heft.HeftError)
        assert f"did you mean '{near}'" in error.value.remedy or f"or '{near}'" in error.value.remedy
        assert all(name in error.value.remedy for name in list(mapping)[:60])
        assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    with pytest.raises(KeyError, match="unknown name 0.*"):
        result.bodies[0]
    assert result.bodies.get("forarm") is None and "forarm" not in result.bodies
    ranges = result.ranges()
    for key, text in ((("forarm", "mass"), "did you mean 'forearm'"), (("forearm", "mas"), "did you mean 'mass'"),
                      ("forearm", "one of: mass, com_x")):
        with pytest.raises(heft.UnknownName) as error:
            ranges[key]
        assert text in error.value.remedy
    with pytest.raises(heft.HeftError, match="did you mean .*encoder_counts"):
        heft.simulate(arm, "nowhere", encoder_count=3)


@pytest.mark.parametrize("travel", [lambda it: pickle.loads(pickle.dumps(it)), copy.copy, copy.deepcopy, lambda it: it.copy()])
def test_bodies_stay_bodies(result, travel):
    again = travel(result.bodies)
    assert type(again) is heft.Bodies and str(again) == str(result.bodies) and list(again) == list(result.bodies)


def test_a_result_prints_error_verdict_doubts_and_bodies(arm, simulation, result):
    text = str(result)
    assert f"held-out error {100 * result.error:.3g} % of the torque" in text.splitlines()[0]
    assert str(result.verdict) in text and str(result.bodies) in text
    assert repr(result) == f"Result('heft_demo_arm', 7 bodies, held-out error {100 * result.error:.3g} %, certified)"
    assert "training error" in repr(heft.identify(arm, simulation.train, config={"estimation.bootstrap": 0}))
    document = {**result.to_dict(), "doubts": [
        {"id": "minor-one", "severity": "minor", "words": "a small thing", "remedy": ""},
        {"id": "torque-scale", "severity": "serious", "words": "joint_2 is off by 0.01", "remedy": "fix it"},
        {"id": "late", "severity": "serious", "words": "a known one", "accepted": True}]}
    doubted = heft.Result(None, document)
    assert "serious: torque-scale: joint_2 is off by 0.01\n  remedy: fix it" in str(doubted)
    assert "minor: minor-one: a small thing" in str(doubted) and "serious, accepted: late" in str(doubted.doubts)
    doubt = doubted.doubts.serious[0]
    assert (doubt.id, doubt.severity, doubt.words, doubt.remedy, doubt.accepted) == (
        "torque-scale", "serious", "joint_2 is off by 0.01", "fix it", False)
    assert doubt["remedy"] == doubt.remedy and "torque-scale" in repr(doubt)
    assert str(heft.Doubts()) == "no doubts"


def test_results_without_error_bars_print_too(arm, simulation):
    plain = heft.identify(arm, simulation.train, config={"estimation.solver": "ols"})
    assert " - " in str(plain.bodies) and "set by the prior" not in str(plain)


def test_a_verdict_prints_its_words(result):
    assert str(result.verdict) == f"{result.verdict.level}: {result.verdict.words}"
    assert repr(result.verdict) == f"Verdict('{result.verdict}')"


def test_other_answers_print_what_they_are(arm, simulation, result):
    assert repr(heft.observe(arm, channels=False)) == "Observability(43 base parameters of 70)"
    assert "0 errors" in repr(heft.check(arm))
    prediction = result.predict(simulation.held_out)
    assert f"{len(prediction.t)} rows, 7 channels, error {100 * prediction.error:.3g} %" in repr(prediction)
    problem = heft.Problem.from_moments(result.moments)
    assert repr(problem) == "Problem(7 bodies)" and repr(heft.solve_batch([problem])) == "Batch(1 problems, 1 certified)"
    assert "Scores(2 motions, best" in repr(heft.score(arm, np.zeros((2, 9, 7)), 4))
    assert "array" not in repr(simulation) and "quantities at 95 %" in repr(result.ranges())
