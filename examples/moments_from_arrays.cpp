// From arrays in memory to moments, and from moments to parameters: a pendulum with a point mass on
// a horizontal axis.
#include <cmath>
#include <cstdio>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/solve/least_squares.hpp"

namespace {

constexpr double kMass = 2, kLength = 0.5, kGravity = 9.81;

heft::Robot pendulum() {
  heft::Robot robot{.name = "pendulum"};
  robot.coordinates.push_back({.name = "hinge"});
  robot.bodies.push_back(
      {.name = "bob", .joint = "hinge", .axis = Eigen::Vector3d::UnitY(), .coordinate = 0});
  return robot;
}

/// One sample per row: 1 kHz from t = begin on, torque = I qdd - m g l cos q.
heft::Samples swing(double begin, Eigen::Index count) {
  heft::Samples samples;
  samples.time =
      Eigen::ArrayXd::LinSpaced(count, begin, begin + 1e-3 * static_cast<double>(count - 1));
  samples.position = (3 * samples.time).sin() + 0.5 * (5 * samples.time).cos();
  samples.velocity = 3 * (3 * samples.time).cos() - 2.5 * (5 * samples.time).sin();
  samples.acceleration = -9 * (3 * samples.time).sin() - 12.5 * (5 * samples.time).cos();
  samples.torque =
      kMass * kLength * (kLength * samples.acceleration - kGravity * samples.position.cos());
  samples.weight.setOnes(count, 1);
  return samples;
}

heft::Result<double> worst_error() {
  const heft::Robot robot = pendulum();
  HEFT_TRY(plan, heft::make_regressor_plan(robot, heft::default_channels(robot), {}));
  HEFT_TRY(backend, heft::make_backend());
  // two runs of data, summed separately, as on two machines
  heft::Moments total = heft::zero_moments(plan);
  for (const double begin : {0.0, 10.0}) {
    heft::MomentAccumulator accumulator(plan, *backend);
    HEFT_CHECK(accumulator.push(0, swing(begin, 5000)));
    HEFT_TRY(moments, accumulator.finish());
    HEFT_CHECK(heft::add(total, moments));
  }
  HEFT_TRY(fit, heft::least_squares(plan->layout,
                                    heft::normal_equations(total, Eigen::VectorXd::Ones(1))));
  const double inertia = fit.x[heft::core::kIyy], moment = fit.x[heft::core::kMcx];
  std::printf("%.0f rows: Iyy = %.9f kg m^2, m l = %.9f kg m\n", total.num_rows[0], inertia,
              moment);
  return std::fmax(std::abs(inertia - kMass * kLength * kLength),
                   std::abs(moment - kMass * kLength));
}

}  // namespace

int main() {
  const auto error = worst_error();
  if (!error) std::fprintf(stderr, "%s\n", error.error().message().c_str());
  return error && *error <= 1e-9 ? 0 : 1;
}
