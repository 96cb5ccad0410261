// A finding of the rules of heft check, tested as a fault that is either corrected or left as it is.
#pragma once

#include <string>
#include <utility>

#include "faults/changed_motion.hpp"
#include "faults/fault.hpp"

namespace heft {

/// `finding` must outlive the result.
class FoundFault : public Fault {
 public:
  explicit FoundFault(const Finding& finding) : finding_(finding) {}

  std::string id() const override { return finding_.name; }
  std::string joint() const override { return finding_.joint; }
  std::string subject() const override { return finding_.subject; }
  std::string unit() const override { return finding_.unit; }
  SizeRange range() const override { return {1, 0, 1}; }
  double value(double) const override { return finding_.measure; }
  std::string yaml(double, const HypothesisInput&) const override { return finding_.fix.yaml; }

  Samples undone(const Samples& stretch, double size) const override {
    return size > 0 && finding_.fix.undo ? with_motion(stretch, finding_.fix.undo) : stretch;
  }
  Result<PlanPtr> plan(const PlanPtr& as_told, double size) const override {
    if (!(size > 0) || !finding_.fix.gravity) return as_told;
    Robot robot = as_told->robot;
    robot.gravity = *finding_.fix.gravity;
    return make_regressor_plan(std::move(robot), as_told->channels, as_told->layout.columns);
  }

 private:
  const Finding& finding_;
};

}  // namespace heft
