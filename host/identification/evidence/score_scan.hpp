// Score test: ranks fault hypotheses by the predicted decrease of the objective, from first
// derivatives of the residual, to select those worth a search.
//
// With r the weighted residuals of the answer, d their derivatives by the size s of a fault and Y
// the rows, the objective is approximately
//
//   1/2 |r + d s - Y dx|^2 + prior,   least over dx:   g s + 1/2 h s^2
//   g = d'r,   h = d'd - (Y'd)' H^-1 (Y'd)
//
// with H the Hessian of the problem, ignoring cones, which can only overestimate the decrease. One
// pass over the rows serves all faults, without sums of products or solving. Samples much denser
// than the bandwidth of their filters are redundant: such logs use every k-th sample, with a
// separate answer for these, because h is the small difference of large terms.
#pragma once

#include <vector>

#include "profile.hpp"

namespace heft {

struct Promise {
  double size = 0;           ///< predicted minimizer of the objective, within the fault's range
  double fall = 0;           ///< predicted decrease
  Eigen::VectorXd followed;  ///< change of the parameters at `size`
};

/// Predicted effect of undoing a fault, from its derivatives.
struct Outlook {
  double error_before = 0, error_after = 0;  ///< relative error of all torques
  double torque_change = 0;  ///< lower bound on the rms change of the predicted torque, relative to
                             ///< it
};

/// A stretch in the test.
struct AskedStretch {
  Samples torques;             ///< of all samples: time, torques and weights
  Samples few;                 ///< every k-th sample
  Eigen::ArrayXXd predicted;   ///< torques of the few, predicted by the answer
  Eigen::ArrayXXd residual;    ///< weighted, of the few
  std::vector<RowArray> rows;  ///< of the few, by channel
};

/// Derivatives of the weighted residuals of a stretch by the size of a fault, for consecutive
/// channels; those of the others are zero.
struct Derivative {
  Eigen::Index first_channel = 0;
  Eigen::ArrayXXd columns;  ///< of the few samples
};

/// Results of the test for all faults, and its input.
struct Scan {
  std::vector<Promise> promises;                     ///< one per fault, in order
  std::vector<std::vector<Derivative>> derivatives;  ///< of every stretch, one per fault
  Explained answer;                                  ///< for the tested samples, nothing undone
  Residuals residuals;                  ///< of that answer, for all samples of the training logs
  Eigen::Index step = 1;                ///< every step-th sample was used
  std::vector<AskedStretch> stretches;  ///< of the training logs, in the order of `residuals`
};

/// Errors: those of the backend and of solving.
Result<Scan> scan(const Profile& profile, const Faults& faults);

/// For fault number k at the predicted size.
Result<Outlook> outlook(const Profile& profile, const Faults& faults, std::size_t k,
                        const Scan& scan);

}  // namespace heft
