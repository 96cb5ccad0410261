#include "costs.hpp"

#include <algorithm>

#include "leaf.hpp"

namespace heft {

namespace {

// measured at 1 to 8 jobs on arms of 7 joints and at 1 to 3 on a humanoid of 32
constexpr double kJob_mb = 14;    ///< blocks of a log and other memory independent of the robot
constexpr double kLeafTwice = 2;  ///< as it is read, and as it is used
constexpr double kMatrices = 36;  ///< of as many rows and columns as there are unknowns

}  // namespace

double working_mb(const RobotSetup& robot, std::size_t num_leaves) {
  const RegressorPlan& plan = robot.setup.plan();
  const double unknowns = plan.layout.num_parameters();
  const double sums = keeps_sums(num_leaves)
                          ? static_cast<double>(kManyLeaves)
                          : static_cast<double>(std::max<std::size_t>(1, num_leaves)) *
                                static_cast<double>(robot.most_stretches + 1);
  const double doubles =
      kLeafTwice * sums * static_cast<double>(plan.packed_size) + kMatrices * unknowns * unknowns;
  const double kept = keeps_sums(num_leaves) ? 0 : kMaxKept;
  return kJob_mb + 1e-6 * (kept + sizeof(double) * doubles);
}

}  // namespace heft
