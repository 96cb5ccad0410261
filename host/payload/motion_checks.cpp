#include "motion_checks.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "base/number_text.hpp"

namespace heft::payload {

namespace {

constexpr double kDegreesPerRadian = 180 / std::numbers::pi;

/// How b follows a: b = ratio a, which explains `share` of both. Noise in a shrinks the ratio that least squares finds to
/// `least`; `most` is what least squares of a on b find, which noise in b raises.
struct Agreement {
  double ratio = 0, least = 0, most = 0, share = 0, power = 0;

  bool may_be(double target) const {
    return std::min(std::abs(least), std::abs(most)) < 1.2 * target &&
           std::max(std::abs(least), std::abs(most)) > target / 1.2 && ratio > 0;
  }
};

template <class ValueA, class ValueB>
Agreement agreement(const WrenchSamples& samples, const ValueA& a_at, const ValueB& b_at) {
  double aa = 0, ab = 0, bb = 0, count = 0;
  for (const WrenchSamples::Segment& segment : samples.segments)
    for (Eigen::Index i = segment.begin + 1; i + 1 < segment.begin + segment.size; ++i) {
      const Eigen::Vector3d a = a_at(i), b = b_at(i);
      aa += a.squaredNorm(), ab += a.dot(b), bb += b.squaredNorm(), ++count;
    }
  if (!(aa > 0) || !(bb > 0)) return {.power = bb > 0 ? bb / count : 0};
  return {std::copysign(std::sqrt(bb / aa), ab), ab / aa, bb / ab, ab * ab / (aa * bb), bb / count};
}

Eigen::Vector3d row(const Eigen::ArrayXXd& values, Eigen::Index i) {
  return values.row(i).matrix().transpose();
}

/// Central difference, of the sample's own step.
Eigen::Vector3d rate(const WrenchSamples& samples, const Eigen::ArrayXXd& values, Eigen::Index i) {
  return (row(values, i + 1) - row(values, i - 1)) / (samples.time[i + 1] - samples.time[i - 1]);
}

bool near(double value, double target, double tolerance) {
  return std::abs(value / target - 1) < tolerance;
}

void judge_ratio(const Agreement& found, const std::string& what, const std::string& symbol,
                 std::vector<PayloadDoubt>& doubts) {
  if (found.share < 0.3 || found.may_be(1)) return;
  if (near(found.ratio, 1 / kDegreesPerRadian, 0.3))
    doubts.push_back({true, symbol + " is in degrees: " + what, "divide it by 57.29578"});
  else if (found.ratio < 0)
    doubts.push_back({true, symbol + " has the wrong sign: " + what,
                      "reverse it; if r11..r33 are logged, write them sensor to world, not world to sensor"});
  else
    doubts.push_back(
        {true, symbol + " is " + number_text(1 / found.ratio, 3) + " times as large as it should be: " + what,
         "check the units of " + symbol + " and of the time, which is in seconds"});
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_motion(const WrenchSamples& samples, const LoggedMotion& motion) {
  std::vector<PayloadDoubt> doubts;
  const double size = motion.gravity.square().rowwise().sum().sqrt().mean();
  if (near(size, 1, 0.05))
    doubts.push_back({true, "gravity is about 1: it is in units of g", "multiply gx,gy,gz by 9.81"});
  else if (size > 1e-9 && !near(size, 9.81, 0.01))
    doubts.push_back({true, "gravity is " + number_text(size, 4) + " m/s^2, which is nowhere on Earth",
                      "its relative error is one of the mass: scale gx,gy,gz to 9.78 to 9.83"});
  if (!samples.moves) return doubts;
  const Agreement turning = agreement(
      samples,
      [&](Eigen::Index i) -> Eigen::Vector3d { return -row(motion.w, i).cross(row(motion.gravity, i)); },
      [&](Eigen::Index i) { return rate(samples, motion.gravity, i); });
  judge_ratio(turning, "gravity turns in the log by dg/dt = " + number_text(turning.ratio, 3) + " (-w x g)",
              "w", doubts);
  if (turning.power > 0.25 && turning.share < 0.5)
    doubts.push_back({true, "w and gravity are of different frames: dg/dt is not -w x g",
                      "give both in the same frame, the sensor's or that in which it is mounted"});
  const Agreement spinning = agreement(
      samples, [&](Eigen::Index i) { return row(motion.wd, i); },
      [&](Eigen::Index i) { return rate(samples, motion.w, i); });
  judge_ratio(spinning, "dw/dt = " + number_text(spinning.ratio, 3) + " alx,aly,alz", "alx,aly,alz", doubts);
  return doubts;
}

}  // namespace heft::payload
