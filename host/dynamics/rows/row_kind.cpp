#include "rows/row_kind.hpp"

#include "kinds.hpp"
#include "rows/unfiltered_motion.hpp"
#include "rows/whitening.hpp"

namespace heft {

std::span<const RowKind* const> row_kinds() {
  static constexpr const RowKind* kKinds[] = {&kTorqueRows, &kMomentumRows, &kImpulseRows,
                                              &kPowerRows, &kWorkRows};
  return kKinds;
}

const RowKind* find_row_kind(const std::string& name) {
  for (const RowKind* kind : row_kinds())
    if (name == kind->name) return kind;
  return nullptr;
}

std::string row_kind_names() {
  std::string names;
  for (const RowKind* kind : row_kinds())
    names += (names.empty() ? "" : ", ") + std::string(kind->name);
  return names;
}

const RowKind& row_kind_of(const Samples& block) {
  return block.unfiltered && block.unfiltered->kind ? *block.unfiltered->kind : kTorqueRows;
}

Samples with_torque_rows(Samples block) {
  if (!block.unfiltered || !block.unfiltered->kind) return block;
  if (!block.unfiltered->filters_predictions) {  // it exists only for this kind
    block.unfiltered = nullptr;
    return block;
  }
  UnfilteredMotion motion = *block.unfiltered;
  motion.kind = nullptr;
  block.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
  return block;
}

PlanPtr plan_of_rows(const RowKind& kind, const PlanPtr& plan) {
  return kind.mixes_channels && !plan->whitened_from ? whitened_plan(plan) : plan;
}

void complete(const Samples& block, MadeRows& made) {
  made.weight = block.weight;
  for (std::size_t c = 0; c < made.rows.size(); ++c) {
    const auto channel = static_cast<Eigen::Index>(c);
    RowArray& rows = made.rows[c];
    rows.conservativeResize(Eigen::NoChange, rows.cols() + 1);
    rows.rightCols(1) = block.torque.col(channel);
    rows.colwise() *= block.weight.col(channel);
  }
}

Eigen::ArrayXXd through(const UnfilteredMotion& motion, Eigen::ArrayXXd columns,
                        Eigen::Index num_samples) {
  Eigen::ArrayXXd scratch;
  motion.lowpass.apply_to_columns(columns, columns, scratch);
  return columns(Eigen::seqN(motion.first, num_samples, motion.step), Eigen::all);
}

void drop_ends(const UnfilteredMotion& motion, Eigen::ArrayXXd& weight) {
  const Eigen::Index reach = 2 * motion.lowpass.nan_radius(), last = motion.samples.size() - 1;
  for (Eigen::Index i = 0; i < weight.rows(); ++i) {
    const Eigen::Index at = motion.first + i * motion.step;
    if (at < reach || at > last - reach) weight.row(i) = 0;
  }
}

Result<Done> require_standing_base(const RegressorPlan& plan, const RowKind& kind) {
  if (!plan.robot.floating_base) return Done{};
  return Error{
      "conditioning.rows",
      std::string(kind.name) +
          " rows need the velocity of the base, but logs of a moving base have its acceleration",
      "use rows of torque, or fix the base"};
}

}  // namespace heft
