// What core::MechanicsRows needs to know of a plan beside its own tables: axes of bodies, and where
// their parameters lie.
#pragma once

#include <vector>

#include "heft/core/mechanics_rows.hpp"
#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct MechanicsTables {
  explicit MechanicsTables(const RegressorPlan& plan);

  std::vector<double> body_axes;  ///< of every kernel frame, in its body's frame, nine numbers, row
                                  ///< by row
  std::vector<int> first_parameter;  ///< of every body in the layout; -1: it has none
};

/// A base that stands still, in its own axes.
core::BodyState<double> standing_base(const Robot& robot);

}  // namespace heft
#pragma GCC visibility pop
