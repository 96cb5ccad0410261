// torque = Y(q, qd, qdd) x: the row of a channel, evaluated by the backend and filtered along time
// if the samples require it.
#include "kinds.hpp"
#include "rows/projected_rows.hpp"

namespace heft {

namespace {

Result<Done> make_torque_rows(const RegressorPlan& plan, const Samples& block, Backend& backend,
                              MadeRows& made) {
  if (has_unknown_wrenches(block)) return make_projected_rows(plan, block, backend, made);
  HEFT_CHECK(backend.evaluate_rows(plan, block, made.rows));
  complete(block, made);
  return Done{};
}

}  // namespace

const RowKind kTorqueRows{.name = "torque",
                          .is_of = "torque of a channel, from position, velocity and acceleration",
                          .needs_motion_around = false,
                          .mixes_channels = false,
                          .make = make_torque_rows};

}  // namespace heft
