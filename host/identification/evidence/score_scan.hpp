// What every fault promises, told from the derivatives of the residual alone: which of many are
// worth a search.
//
// With r the weighted residuals of the answer, d their derivatives by the size s of a fault and Y
// the rows, the objective is close to
//
//   1/2 |r + d s - Y dx|^2 + prior,   least over dx:   g s + 1/2 h s^2
//   g = d'r,   h = d'd - (Y'd)' H^-1 (Y'd)
//
// with H the Hessian of the problem, cones left aside: they only make it promise more. One pass
// over the rows serves all faults: no sums of products, no solving. Samples far closer than the
// bandwidth of their filters say the same thing several times: of such logs every k-th sample is
// asked, by an answer of their own, since h is what is left of large terms that nearly cancel.
#pragma once

#include <vector>

#include "profile.hpp"

namespace heft {

struct Promise {
  double size = 0;           ///< at which the objective would be least, within the fault's range
  double fall = 0;           ///< by which it would fall
  Eigen::VectorXd followed;  ///< how parameters would follow, times `size`
};

/// What undoing a fault would change, by its derivatives.
struct Outlook {
  double error_before = 0, error_after = 0;  ///< relative error of all torques
  double torque_change = 0;  ///< rms of what changes of the predicted torque, relative to it: no
                             ///< less than that
};

/// A stretch as it is asked.
struct AskedStretch {
  Samples torques;            ///< of the whole: its time, torques and weights
  Samples few;                ///< every k-th sample
  Eigen::ArrayXXd predicted;  ///< torques of the few by the answer
};

/// What all faults promise, and what was asked.
struct Scan {
  std::vector<Promise> promises;        ///< one a fault, in their order
  Explained answer;                     ///< of the samples that were asked, nothing undone
  Residuals residuals;                  ///< by it, of all samples of the training logs
  Eigen::Index step = 1;                ///< every step-th was
  std::vector<AskedStretch> stretches;  ///< of the training logs, as those of `residuals`
};

/// Errors: the backend's, those of solving.
Result<Scan> scan(const Profile& profile, const Faults& faults);

/// Of the fault at the promised size.
Result<Outlook> outlook(const Profile& profile, const Fault& fault, const Promise& promise,
                        const Scan& scan);

}  // namespace heft
