"""Identifier as an estimator of scikit-learn."""
import warnings

import numpy as np
import pytest

import heft_robot as heft

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402


@pytest.fixture(scope="module")
def Xy(swing):
    return np.column_stack([swing.q, swing.qd, swing.qdd]), swing.tau[:, None]


def test_fit_and_predict(pendulum, Xy):
    X, y = Xy
    identifier = heft.Identifier(pendulum).fit(X, y)
    # samples as they are: the exact torque, to the pull of the prior
    assert identifier.score(X, y) > 1 - 1e-6
    assert identifier.predict(X).shape == y.shape
    assert identifier.result_.certified


def test_clone_and_parameters(pendulum):
    identifier = heft.Identifier(pendulum, estimation__prior_weight=0.1, columns=["viscous"])
    again = clone(identifier)
    assert again.get_params() == identifier.get_params() == {
        "robot": pendulum, "estimation__prior_weight": 0.1, "columns": ["viscous"]}
    again.set_params(estimation__prior_weight=1)
    assert identifier.get_params()["estimation__prior_weight"] == 0.1
    assert "Identifier" in repr(identifier)


def test_cross_validation_with_blocks(pendulum, Xy):
    X, y = Xy
    scores = cross_val_score(heft.Identifier(pendulum), X, y, cv=heft.BlockedSplit(4, gap=100))
    assert scores.shape == (4,) and scores.min() > 1 - 1e-5
    search = GridSearchCV(heft.Identifier(pendulum), {"estimation__prior_weight": [0.01, 100]}, cv=heft.BlockedSplit(3)).fit(X, y)
    assert search.best_params_ == {"estimation__prior_weight": 0.01}


def test_blocks_are_consecutive_and_apart():
    for training, held_out in heft.BlockedSplit(5, gap=3).split(np.zeros(100)):
        assert np.array_equal(held_out, np.arange(held_out[0], held_out[-1] + 1))
        assert np.abs(training[:, None] - held_out).min() == 4
    held = [held_out for _, held_out in heft.BlockedSplit(7).split(np.zeros(100))]
    assert np.array_equal(np.concatenate(held), np.arange(100))
    with pytest.raises(heft.HeftError, match="n_splits"):
        list(heft.BlockedSplit(5).split(np.zeros(3)))


def test_bad_input(pendulum, arm, Xy):
    X, y = Xy
    with pytest.raises(heft.HeftError, match=r"\(20000, 3\).*\(20000, 21\)"):
        heft.Identifier(arm).fit(X, y)
    with pytest.raises(heft.HeftError, match="y"):
        heft.Identifier(pendulum).fit(X, y[:-1])
    with pytest.raises(sklearn.exceptions.NotFittedError):
        heft.Identifier(pendulum).predict(X)


#: Checks of scikit-learn that ask nothing of the data. The others fit X of their own making, of any width and meaning, while a robot's
#: X has three columns a joint and is motion: they end where X is refused by its shape.
APPLY = {
    "check_dict_unchanged", "check_do_not_raise_errors_in_init_or_set_params", "check_dont_overwrite_parameters",
    "check_estimator_cloneable", "check_estimator_repr", "check_estimator_tags_renamed", "check_estimators_unfitted",
    "check_f_contiguous_array_estimator", "check_get_params_invariance", "check_methods_sample_order_invariance", "check_mixin_order",
    "check_non_transformer_estimators_n_iter", "check_parameters_default_constructible", "check_pipeline_consistency",
    "check_set_params", "check_valid_tag_types"}


def test_checks_of_scikit_learn(pendulum):
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = check_estimator(heft.Identifier(pendulum), on_skip=None, on_fail=None)
    passed = {outcome["check_name"] for outcome in outcomes if outcome["status"] == "passed"}
    failed = {outcome["check_name"]: outcome["exception"] for outcome in outcomes if outcome["status"] == "failed"}
    assert not APPLY & set(failed), {name: failed[name] for name in APPLY & set(failed)}
    assert len(APPLY & passed) >= 12  # versions differ in which there are
    assert all(isinstance(error, (heft.HeftError, AssertionError)) for error in failed.values()), failed
