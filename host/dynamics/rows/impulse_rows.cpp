// [Y_p x] - int (Y_C'v - Y_g) x dt + int friction dt = int torque dt over an interval around a
// sample, divided by its length: the change of a channel's momentum. Only positions are
// differentiated, once. FORMULAS 4.
#include "base/parallel_for.hpp"
#include "kinds.hpp"
#include "momentum_parts.hpp"
#include "sample_intervals.hpp"

namespace heft {

namespace {

Result<Done> make_impulse_rows(const RegressorPlan& plan, const Samples& block, Backend& backend,
                               MadeRows& made) {
  HEFT_CHECK(require_standing_base(plan, kImpulseRows));
  const MechanicsColumns columns(plan);
  const UnfilteredMotion& motion = *block.unfiltered;
  const SampleIntervals interval(motion, block.size());
  made.rows.resize(static_cast<std::size_t>(plan.num_channels()));
  for (ChannelRange range = range_from(plan, 0, motion.samples.size());
       range.first < plan.num_channels();
       range = range_from(plan, range.last, motion.samples.size())) {
    const int num_threads = backend.num_threads();
    const MomentumParts parts = momentum_parts(plan, columns, motion.samples, range, num_threads);
    parallel_for(range.last - range.first, num_threads, [&](std::int64_t channel, int) {
      const auto k = static_cast<std::size_t>(channel);
      made.rows[static_cast<std::size_t>(range.first) + k] =
          interval.gain(parts.momentum[k]) + interval.mean(parts.rest[k]);
    });
  }
  Samples means{.torque = interval.mean(motion.samples.torque), .weight = block.weight};
  drop_ends(motion, means.weight);
  complete(means, made);
  return Done{};
}

}  // namespace

const RowKind kImpulseRows{.name = "impulse",
                           .is_of = "momentum that a channel gains over an interval",
                           .needs_motion_around = true,
                           .mixes_channels = false,
                           .make = make_impulse_rows};

}  // namespace heft
