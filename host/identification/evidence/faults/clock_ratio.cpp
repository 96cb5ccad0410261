// Fault: stamps with the wrong rate: true seconds = stamps / (1 + size). Positions stay the same
// but their derivatives change; torques of gravity compared with those of inertia reveal it.
//
// Friction gives no information: its sharpness, tanh(qd / width), is known only to a tenth, and
// faster stamps would make it sharper. The widths of columns are therefore scaled with the
// velocities.
#include <fmt/format.h>

#include <cmath>

#include "changed_motion.hpp"
#include "evidence/doubt_bounds.hpp"
#include "fault.hpp"

namespace heft {

namespace {

class ClockRatio : public Fault {
 public:
  std::string id() const override { return "clock-ratio"; }
  std::string joint() const override { return {}; }
  std::string subject() const override { return "the clock of the log"; }
  std::string unit() const override { return "1"; }
  SizeRange range() const override { return {0.02, -0.4, 0.6}; }

  bool is_large(double size) const override {
    return std::abs(size) >= 0.5 * doubt_bounds::kClearRate;
  }

  Samples undone(const Samples& stretch, double size) const override {
    const double rate = 1 + size;
    return with_motion(stretch, [&](Samples& motion) {
      motion.velocity *= rate;
      motion.acceleration *= rate * rate;
    });
  }

  Result<PlanPtr> plan(const PlanPtr& as_told, double size) const override {
    std::vector<Column> columns = as_told->layout.columns;
    bool has_widths = false;
    for (Column& column : columns)
      for (ColumnTerm& term : column.terms)
        if (term.feature == core::Feature::tanh_velocity) {
          term.width *= 1 + size;
          has_widths = true;
        }
    if (size == 0 || !has_widths) return as_told;
    return make_regressor_plan(as_told->robot, as_told->channels, std::move(columns));
  }
  bool changes_robot() const override { return false; }

  double value(double size) const override { return 1 / (1 + size); }

  /// Empty if the stamps define their unit, so that the option has no effect.
  std::string yaml(double size, const HypothesisInput& input) const override {
    if (!input.log.time_unit.empty() && input.log.time_unit != "auto") return "";
    return fmt::format("log: {{time_scale: {:.8g}}}\n", input.log.time_scale * value(size));
  }
};

}  // namespace

void clock_ratios(const HypothesisInput& input, Faults& faults) {
  const RegressorPlan& plan = input.setup.plan();
  // without gravity, a rate is equivalent to a change of mass
  if (!plan.robot.floating_base && plan.robot.gravity.norm() > 0)
    faults.push_back(std::make_unique<ClockRatio>());
}

}  // namespace heft
