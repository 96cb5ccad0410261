// d/dt (Y_p x) - Y_C'v x + Y_g x = torque, both through a low-pass: momentum of a channel instead
// of accelerations. FORMULAS 4.
//
//   F[torque] = F[d/dt Y_p - (Y_C'v - Y_g)] x + F[friction columns]
//
// The coefficient of an acceleration is the derivative of the same coefficient of the velocity;
// other extra columns are unchanged.
#include "base/parallel_for.hpp"
#include "kinds.hpp"
#include "momentum_parts.hpp"
#include "rows/filtered_rows.hpp"
#include "rows/momentum.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

Result<Done> make_momentum_rows(const RegressorPlan& plan, const Samples& block, Backend& backend,
                                MadeRows& made) {
  HEFT_CHECK(require_standing_base(plan, kMomentumRows));
  const MechanicsColumns columns(plan);
  const int num_threads = backend.num_threads();
  const auto make_rows = [&](const Samples& samples, ChannelRange range,
                             std::vector<RowArray>& rows) -> Result<Done> {
    MomentumParts parts = momentum_parts(plan, columns, samples, range, num_threads);
    parallel_for(std::ssize(rows), num_threads, [&](std::int64_t channel, int) {
      const auto c = static_cast<std::size_t>(channel);
      differentiate_columns(step_of(samples), parts.momentum[c]);
      rows[c] = parts.momentum[c] + parts.rest[c];
    });
    return Done{};
  };
  HEFT_CHECK(filtered_rows(plan, block, num_threads, make_rows, made.rows));
  const UnfilteredMotion& motion = *block.unfiltered;
  Samples filtered{.torque = through(motion, motion.samples.torque, block.size()),
                   .weight = block.weight};
  drop_ends(motion, filtered.weight);
  complete(filtered, made);
  return Done{};
}

}  // namespace

const RowKind kMomentumRows{.name = "momentum",
                            .is_of = "momentum of a channel, from position and velocity alone",
                            .needs_motion_around = true,
                            .mixes_channels = false,
                            .make = make_momentum_rows};

Result<MomentumBalance> momentum_balance(const RegressorPlan& plan, const Samples& samples,
                                         const Eigen::VectorXd& parameters) {
  HEFT_CHECK(require_standing_base(plan, kMomentumRows));
  const MechanicsColumns columns(plan);
  const Eigen::VectorXd structural = plan.regrouping * parameters;
  MomentumBalance balance{Eigen::ArrayXXd(samples.size(), plan.num_channels()),
                          Eigen::ArrayXXd(samples.size(), plan.num_channels())};
  for (ChannelRange range = range_from(plan, 0, samples.size()); range.first < plan.num_channels();
       range = range_from(plan, range.last, samples.size())) {
    const MomentumParts parts = momentum_parts(plan, columns, samples, range, 1);
    for (int c = range.first; c < range.last; ++c) {
      const Eigen::VectorXd x = structural(plan.channel_columns[c]);
      const auto k = static_cast<std::size_t>(c - range.first);
      balance.momentum.col(c) = (parts.momentum[k].matrix() * x).array();
      balance.rest.col(c) = (parts.rest[k].matrix() * x).array();
    }
  }
  return balance;
}

}  // namespace heft
