// Hypothesis for a fault of known size: its gain, its confidence and its effect.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <vector>

#include "score_scan.hpp"
#include "size_search.hpp"

namespace heft {

/// Components of a gain, so that several hypotheses can be compared under the same noise.
struct Gains {
  Eigen::ArrayXd training, kappa_training;  ///< log_ratios() and rows_worth_one() by channel
  Eigen::ArrayXd held_out, kappa_held_out;  ///< empty without held-out logs

  double least_with(const Gains& noise) const {
    const double of_training = (training / noise.kappa_training).sum();
    return held_out.size() == 0 ? of_training
                                : std::min(of_training, (held_out / noise.kappa_held_out).sum());
  }
};

struct Judged {
  Hypothesis hypothesis;
  Gains gains;
  Residuals left;  ///< of Profile::deciding(), with the fault undone
};

/// Returns the benefit of undoing a fault, `with` against `without`, without the confidence in its
/// size. Errors: those of the backend.
Result<Judged> compared(const Profile& profile, const Fault& fault, const Explained& without,
                        const Explained& with);

/// Tests several of `faults`, whose sizes are searched in parallel: one result per entry of
/// `chosen`, in its order, independent of the number of threads; empty if no size gains
/// significantly or the best is at the end of its range. `answer` explains the logs unchanged,
/// `residuals` are its residuals on the training logs. Errors: those of the backend; stopped().
Result<std::vector<std::optional<Judged>>> judged(const Profile& profile, const Faults& faults,
                                                  const std::vector<std::size_t>& chosen,
                                                  const std::vector<Promise>& promises,
                                                  const Explained& answer,
                                                  const Residuals& residuals);

/// Tests a fault of size near `guess`. Errors: those of the backend.
Result<std::optional<Judged>> judged_near(const Profile& profile, const Fault& fault, double guess,
                                          const Explained& answer);

}  // namespace heft
