// A fault of one number, and what undoing it by so much makes of a log: the way from a doubt to an estimate.
#pragma once

#include <string>

#include "heft/log/log.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

namespace heft {

enum class FaultKind {
  torque_scale,  ///< measured = exp(size) times the torque
  torque_delay,  ///< the torque is logged so many seconds later than the motion that it belongs to
  joint_zero,    ///< measured = position + size
};

struct OneFault {
  FaultKind kind = FaultKind::torque_scale;
  int channel = -1;     ///< of the torque; -1: all channels
  int coordinate = -1;  ///< of the joint; -1: all
  double max_size = 0;  ///< looked for within +- so much

  /// The samples as they would be without a fault of this size. Rows that another fault of the kind could take out of the
  /// stretch weigh nothing, whatever the size. Where a torque is taken as smaller, its row counts as much more, so that
  /// errors stay those of the measured torque.
  Samples undone(const Samples& stretch, double size) const;
};

/// "torque-scale"; "s"; what stands in result.json.
std::string id_of(const OneFault& fault);
std::string unit_of(const OneFault& fault, const RegressorPlan& plan);
/// What it takes to mend it, by itself: exp(-size), a factor on the torque; a delay or an angle as it is.
double option_value(const OneFault& fault, double size);

/// The option that mends it, in YAML: whole, with what is in force already.
std::string yaml_of(const OneFault& fault, double size, const RegressorPlan& plan, const LogFormat& log,
                    const ConditioningOptions& conditioning);

}  // namespace heft
