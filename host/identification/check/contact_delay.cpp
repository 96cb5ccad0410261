// Every change of a flag is compared with the force around it, clipped far below that of a standing
// foot: the area under the clipped force determines when it rises or falls. Filters and clipping
// make this time late at touchdown and equally early at liftoff; the mean of both is the delay.
#include "contact_delay.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "leg_ends.hpp"

namespace heft::check {

namespace {

constexpr double kReach = 0.12;  ///< compared on both sides of a change [s]

/// Delays of flags at changes of one kind [s].
struct EdgeDelays {
  std::vector<double> late;

  double median() const {
    std::vector<double> sorted = late;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
  /// Standard error of the median, from the median absolute deviation.
  double error() const {
    const double middle = median();
    EdgeDelays apart;
    for (const double one : late) apart.late.push_back(std::abs(one - middle));
    return 1.86 * apart.median() / std::sqrt(static_cast<double>(late.size()));
  }
};

/// 0 in the air, 1 in contact, from a force of the weight.
Eigen::ArrayXd shown_state(const Eigen::ArrayXd& force) {
  constexpr double kAir = 0.05, kContact = 0.2;
  return ((force - kAir) / (kContact - kAir)).max(0.0).min(1.0);
}

/// Adds the delays at all changes that are the only ones within kReach.
void add_delays(const std::vector<double>& flags, const Eigen::ArrayXd& shown, double period,
                EdgeDelays& touchdown, EdgeDelays& liftoff) {
  constexpr double kLeastChange = 0.4;
  const auto reach = static_cast<Eigen::Index>(std::lround(kReach / period));
  const Eigen::Index quarter = std::max<Eigen::Index>(1, reach / 4);
  std::vector<Eigen::Index> changes = {-reach};
  for (Eigen::Index i = 1; i < shown.size(); ++i)
    if (flags[static_cast<std::size_t>(i)] != flags[static_cast<std::size_t>(i - 1)])
      changes.push_back(i);
  changes.push_back(shown.size() + reach);
  for (std::size_t k = 1; k + 1 < changes.size(); ++k) {
    const Eigen::Index at = changes[k];
    if (at - changes[k - 1] < reach || changes[k + 1] - at < reach) continue;
    if (at < reach || at + reach > shown.size()) continue;
    const Eigen::ArrayXd around = shown.segment(at - reach, 2 * reach);
    const double first = around.head(quarter).mean(), last = around.tail(quarter).mean();
    const bool touches = flags[static_cast<std::size_t>(at)] != 0;
    if ((touches ? last - first : first - last) < kLeastChange) continue;
    // the share of the window after a rise, or before a fall
    const double share = (around.mean() - std::min(first, last)) / std::abs(last - first);
    const double change = 2 * kReach * (touches ? 1 - share : share) - kReach;
    (touches ? touchdown : liftoff).late.push_back(-change);
  }
}

}  // namespace

Result<std::optional<ContactDelay>> contact_delay(const BaseLog& log) {
  constexpr double kLeast = 0.012;    // [s], above errors on correct flags
  constexpr double kAsymmetry = 0.5;  // of the delay: half the difference of both kinds
  constexpr double kErrors = 3;       // standard errors that the delay must exceed
  constexpr std::size_t kFewest = 4;  // changes of either kind
  std::optional<ContactDelay> none;
  if (!(log.period_s > 0) || !(log.period_s < kReach / 4) || log.samples.size() < 2) return none;
  HEFT_TRY(forces, contact_forces(log));
  EdgeDelays touchdown, liftoff;
  int num_contacts = 0;
  for (std::size_t k = 0; k < log.contacts.size(); ++k) {
    const std::vector<double>& flags = log.contacts[k].flags;
    if (std::ssize(flags) != forces.size.rows()) continue;
    add_delays(flags, shown_state(forces.size.col(static_cast<Eigen::Index>(k))), log.period_s,
               touchdown, liftoff);
    ++num_contacts;
  }
  const auto [fewer, more] = std::minmax({touchdown.late.size(), liftoff.late.size()});
  if (fewer < kFewest || 2 * fewer < more) return none;
  const double late = 0.5 * (touchdown.median() + liftoff.median());
  const double asymmetry = 0.5 * std::abs(touchdown.median() - liftoff.median());
  const double error = 0.5 * std::hypot(touchdown.error(), liftoff.error());
  if (!(std::abs(late) > kLeast) || !(asymmetry < kAsymmetry * std::abs(late)) ||
      !(std::abs(late) > kErrors * error))
    return none;
  return std::optional<ContactDelay>({late, num_contacts});
}

}  // namespace heft::check
