// Flags are compared with the forces that explain the torques of the joints, as states between 0
// and 1:
//
//   E(n) = sum over feet and samples i of (flag[i + n] - state[i])^2
//
// The n of the least E is the delay. All samples count, so that feet that drag or bounce do no
// harm. Low-pass filters spread a step of a force evenly before and after it, so a state is 1/2
// where the force is half of its maximum nearby. A fixed threshold is crossed too early, both at
// hard touchdowns and at soft liftoffs. Feet push upward, while errors of forces in the air have
// any direction: the mean of a force's size and its upward part reduces them.
#include "contact_delay.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "leg_ends.hpp"

namespace heft::check {

namespace {

constexpr double kReach = 0.5;  ///< largest compared delay [s]: the next step must not fit better
constexpr Eigen::Index kParts = 4;    ///< of the log, each with a delay
constexpr double kLongestGap = 0.02;  ///< without contact that still counts as contact [s]

/// Samples x contacts.
struct Compared {
  Eigen::ArrayXXd flags;   ///< 0 or 1, as logged
  Eigen::ArrayXXd states;  ///< 0 in the air, 1 in contact, from forces
};

/// Returns flags of 0 or 1 without short gaps, which chatter and bounces cause.
Eigen::ArrayXd without_gaps(const std::vector<double>& logged, double period) {
  const auto longest = static_cast<Eigen::Index>(std::lround(kLongestGap / period));
  Eigen::ArrayXd flags(std::ssize(logged));
  Eigen::Index last = -1;
  for (Eigen::Index i = 0; i < flags.size(); ++i) {
    flags[i] = logged[static_cast<std::size_t>(i)] != 0;
    if (flags[i] == 0) continue;
    if (last >= 0 && i - last <= longest) flags.segment(last, i - last).setOnes();
    last = i;
  }
  return flags;
}

/// Returns states from a contact's force, of the weight.
Eigen::ArrayXd shown_states(const Eigen::ArrayXd& force, double period) {
  constexpr double kNear = 0.03;              // [s], before and after
  constexpr double kLeastMaximum = 0.2;       // of the weight, above errors in the air
  constexpr double kAir = 0.2, kTouch = 0.8;  // of the maximum
  const auto near = static_cast<Eigen::Index>(std::lround(kNear / period));
  Eigen::ArrayXd states(force.size());
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    const Eigen::Index first = std::max<Eigen::Index>(0, i - near);
    const Eigen::Index count = std::min(force.size(), i + near + 1) - first;
    const double maximum = std::max(kLeastMaximum, force.segment(first, count).maxCoeff());
    states[i] = std::clamp((force[i] / maximum - kAir) / (kTouch - kAir), 0.0, 1.0);
  }
  return states;
}

/// Contacts whose every sample has a flag, if it changes.
Compared compared(const BaseLog& log, const ContactForceRows& rows) {
  const Eigen::ArrayXXd forces = 0.5 * (rows.size + rows.upward.max(0.0));
  Compared both{Eigen::ArrayXXd(forces.rows(), 0), Eigen::ArrayXXd(forces.rows(), 0)};
  for (std::size_t k = 0; k < log.contacts.size(); ++k) {
    if (std::ssize(log.contacts[k].flags) != forces.rows()) continue;
    const Eigen::ArrayXd flags = without_gaps(log.contacts[k].flags, log.period_s);
    if (flags.minCoeff() == flags.maxCoeff()) continue;
    const Eigen::Index column = both.flags.cols();
    both.flags.conservativeResize(Eigen::NoChange, column + 1);
    both.states.conservativeResize(Eigen::NoChange, column + 1);
    both.flags.col(column) = flags;
    both.states.col(column) = shown_states(forces.col(static_cast<Eigen::Index>(k)), log.period_s);
  }
  return both;
}

/// E of every delay from -reach to reach samples and of every part: delays x parts.
Eigen::ArrayXXd errors_of(const Compared& both, Eigen::Index reach) {
  const Eigen::Index size = (both.flags.rows() - 2 * reach) / kParts;
  Eigen::ArrayXXd errors(2 * reach + 1, kParts);
  for (Eigen::Index part = 0; part < kParts; ++part) {
    const Eigen::Index first = reach + part * size;
    for (Eigen::Index n = -reach; n <= reach; ++n)
      errors(n + reach, part) =
          (both.flags.middleRows(first + n, size) - both.states.middleRows(first, size))
              .square()
              .sum();
  }
  return errors;
}

/// Returns the delay of the least error [samples], between samples by a parabola.
double best_delay(const Eigen::ArrayXd& errors) {
  const Eigen::Index reach = errors.size() / 2;
  Eigen::Index at = 0;
  errors.minCoeff(&at);
  const auto delay = static_cast<double>(at - reach);
  if (at == 0 || at == errors.size() - 1) return delay;
  const double bend = errors[at - 1] - 2 * errors[at] + errors[at + 1];
  return bend > 0 ? delay + 0.5 * (errors[at - 1] - errors[at + 1]) / bend : delay;
}

/// Correlations of states with flags that are `late` samples late: of all contacts, and the least
/// of a contact whose flag changes.
struct Likeness {
  double all = 0, least = 1;
};

Likeness likeness(const Compared& both, Eigen::Index reach, Eigen::Index late) {
  const Eigen::Index count = both.flags.rows() - 2 * reach;
  double product = 0, flags2 = 0, states2 = 0;
  Likeness result;
  for (Eigen::Index k = 0; k < both.flags.cols(); ++k) {
    Eigen::ArrayXd flag = both.flags.col(k).segment(reach + late, count);
    Eigen::ArrayXd state = both.states.col(k).segment(reach, count);
    flag -= flag.mean();
    state -= state.mean();
    const double of_flag = flag.square().sum(), of_state = state.square().sum();
    const double of_both = (flag * state).sum();
    product += of_both;
    flags2 += of_flag;
    states2 += of_state;
    constexpr double kChanges = 0.5;  // a single sample has about 1
    if (of_flag > kChanges)
      result.least = std::min(result.least, of_both / std::sqrt(of_flag * of_state + 1e-12));
  }
  result.all = product / std::sqrt(flags2 * states2 + 1e-12);
  return result;
}

}  // namespace

Result<std::optional<ContactDelay>> contact_delay(const BaseLog& log) {
  constexpr double kLongestPeriod = 0.03;           // [s]
  constexpr double kLeast = 0.012, kMost = 0.155;   // [s], of a delay
  constexpr double kMostError = 0.004;              // [s], standard error from parts
  constexpr double kErrors = 3;                     // standard errors that the delay must exceed
  constexpr double kAlike = 0.4, kEachAlike = 0.2;  // correlations; inverted flags have less
  constexpr double kFewest = 8;                     // changes of flags
  std::optional<ContactDelay> none;
  if (!(log.period_s > 0) || !(log.period_s < kLongestPeriod)) return none;
  const auto reach = static_cast<Eigen::Index>(std::lround(kReach / log.period_s));
  if (log.samples.size() < (2 + kParts) * reach) return none;
  HEFT_TRY(forces, contact_forces(log));
  const Compared both = compared(log, forces);
  const Eigen::Index rows = both.flags.rows();
  if (both.flags.cols() == 0 ||
      (both.flags.bottomRows(rows - 1) - both.flags.topRows(rows - 1)).abs().sum() < kFewest)
    return none;
  const Eigen::ArrayXXd errors = errors_of(both, reach);
  const double late = best_delay(errors.rowwise().sum());
  const double late_s = late * log.period_s;
  if (!(std::abs(late_s) > kLeast) || !(std::abs(late_s) < kMost)) return none;
  Eigen::ArrayXd of_parts(kParts);
  for (Eigen::Index part = 0; part < kParts; ++part) of_parts[part] = best_delay(errors.col(part));
  const double error_s = log.period_s * std::sqrt((of_parts - of_parts.mean()).square().sum() /
                                                  static_cast<double>(kParts * (kParts - 1)));
  const Likeness like = likeness(both, reach, static_cast<Eigen::Index>(std::lround(late)));
  if (!(error_s < kMostError) || !(std::abs(late_s) > kErrors * error_s) || !(like.all > kAlike) ||
      !(like.least > kEachAlike))
    return none;
  return std::optional<ContactDelay>({late_s, static_cast<int>(both.flags.cols())});
}

}  // namespace heft::check
