// A fault whose size was found, as a hypothesis: what it gains, how sure it is, what it changes.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <vector>

#include "score_scan.hpp"
#include "size_search.hpp"

namespace heft {

/// What gains are made of, so that several hypotheses can be compared as if their noise were the
/// same.
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
  Residuals left;  ///< of Profile::deciding() with the fault undone
};

/// What undoing a fault buys, `with` against `without`: all but how sure the size is. Errors: the
/// backend's.
Result<Judged> compared(const Profile& profile, const Fault& fault, const Explained& without,
                        const Explained& with);

/// Of several faults of `faults`, whose sizes are looked for side by side: one an entry of
/// `chosen`, in its order, whatever the number of threads; nothing where no size gains more than
/// chance, or the best is at an end of what is looked for. `answer` is what explains the logs as
/// they are, `residuals` what it leaves of the training logs. Errors: the backend's; stopped().
Result<std::vector<std::optional<Judged>>> judged(const Profile& profile, const Faults& faults,
                                                  const std::vector<std::size_t>& chosen,
                                                  const std::vector<Promise>& promises,
                                                  const Explained& answer,
                                                  const Residuals& residuals);

/// Of a fault whose size is about `guess`. Errors: the backend's.
Result<std::optional<Judged>> judged_near(const Profile& profile, const Fault& fault, double guess,
                                          const Explained& answer);

}  // namespace heft
