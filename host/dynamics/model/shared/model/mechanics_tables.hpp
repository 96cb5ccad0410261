// Data of a plan that core::MechanicsRows needs in addition to the plan's tables: axes of bodies,
// and positions of their parameters.
#pragma once

#include <vector>

#include "heft/core/mechanics_rows.hpp"
#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Axes and parameter positions of all bodies.
struct MechanicsTables {
  explicit MechanicsTables(const RegressorPlan& plan);

  std::vector<double> body_axes;  ///< of every kernel frame in its body's frame, nine numbers each,
                                  ///< row by row
  std::vector<int> first_parameter;  ///< first parameter of every body in the layout; -1: no
                                     ///< parameters
};

/// Returns the state of a base at rest, in its own axes.
core::BodyState<double> standing_base(const Robot& robot);

}  // namespace heft
#pragma GCC visibility pop
