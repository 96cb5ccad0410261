#include "motion_checks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/median.hpp"
#include "base/number_text.hpp"
#include "model/units.hpp"

namespace heft::payload {

namespace {

constexpr double kStretch = 0.2;  // [s], over which velocities are compared with what accelerations
                                  // add up to
constexpr double kTurns = 0.05;   // [rad/s]: smaller changes of w are inconclusive
constexpr double kUnexplained = 0.8;    // share of the power of w's changes
constexpr double kGravityInside = 0.5;  // of gravity: the mean of a along it; no motion accelerates
                                        // so for long

/// Regression b = ratio a, which explains `share` of both. Noise in a biases the least-squares
/// ratio down to `least`; `most` is the inverse regression, which noise in b biases up.
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

/// Central difference with the sample's own step.
Eigen::Vector3d rate(const WrenchSamples& samples, const Eigen::ArrayXXd& values, Eigen::Index i) {
  return (row(values, i + 1) - row(values, i - 1)) / (samples.time[i + 1] - samples.time[i - 1]);
}

bool near(double value, double target, double tolerance) {
  return std::abs(value / target - 1) < tolerance;
}

/// True if there is a doubt.
bool judge_ratio(const Agreement& found, const std::string& id, const std::string& what,
                 const std::string& symbol, std::vector<PayloadDoubt>& doubts) {
  if (found.share < 0.3 || found.may_be(1)) return false;
  if (near(found.ratio, kDegree, 0.3))
    doubts.push_back({id, true, symbol + " is in degrees: " + what, "divide it by 57.29578"});
  else if (found.ratio < 0)
    doubts.push_back(
        {id, true, symbol + " has the wrong sign: " + what,
         "reverse it; if r11..r33 are logged, write them sensor to world, not world to sensor"});
  else
    doubts.push_back({id, true,
                      symbol + " is " + number_text(1 / found.ratio, 3) +
                          " times as large as it should be: " + what,
                      "check the units of " + symbol + " and of the time, which is in seconds"});
  return true;
}

/// Changes of w over stretches of the log, and their difference from the integral of wd.
void doubt_missing_wd(const WrenchSamples& samples, const LoggedMotion& motion,
                      std::vector<PayloadDoubt>& doubts) {
  const auto step = std::max<Eigen::Index>(1, std::lround(kStretch * rate_of(samples)));
  double changes = 0, left = 0, count = 0;
  for (const WrenchSamples::Segment& segment : samples.segments)
    for (Eigen::Index i = segment.begin; i + step < segment.begin + segment.size; i += step) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (Eigen::Index k = i; k < i + step; ++k)
        sum += 0.5 * (samples.time[k + 1] - samples.time[k]) *
               (row(motion.wd, k) + row(motion.wd, k + 1));
      const Eigen::Vector3d change = row(motion.w, i + step) - row(motion.w, i);
      changes += change.squaredNorm(), left += (change - sum).squaredNorm(), ++count;
    }
  if (!(changes > kTurns * kTurns * count) || left < kUnexplained * changes) return;
  const bool is_zero = (motion.wd == 0).all();
  doubts.push_back(
      {"angular-acceleration", true,
       is_zero ? "alx,aly,alz are zero although w changes: the tensor would be wrong"
               : "alx,aly,alz are not the derivative of w: they explain only " +
                     number_text(100 * std::max(0.0, 1 - std::sqrt(left / changes)), 2) +
                     " % of its changes",
       "log the angular acceleration, or write the derivative of wx,wy,wz (smoothed as little as "
       "the wrench) into these columns"});
}

/// The mean of a along gravity, relative to gravity: near 0 for accelerations, -1 for accelerometer
/// readings.
void doubt_acceleration(const LoggedMotion& motion, double gravity,
                        std::vector<PayloadDoubt>& doubts) {
  if (gravity < 1e-9) {
    if (std::sqrt(motion.a.square().rowwise().sum().mean()) < 5)
      doubts.push_back({"gravity-missing", true, "neither gx,gy,gz nor ax,ay,az show gravity",
                        "log gravity in the sensor's frame, the orientation as r11..r33, or "
                        "accelerometer readings as ax,ay,az"});
    return;
  }
  const double along = (motion.a * motion.gravity).sum() / motion.gravity.square().sum();
  if (std::abs(along) < kGravityInside) return;
  doubts.push_back(
      {"accelerometer", true,
       along < 0 ? "ax,ay,az follow gravity: they are accelerometer readings, a - g, and "
                   "gravity is counted twice"
                 : "ax,ay,az follow gravity: they already include it with its sign, which "
                   "cancels gx,gy,gz",
       along < 0 ? "write zeros into gx,gy,gz (and remove r11..r33), or subtract "
                   "gravity from ax,ay,az, which describe only the motion of the sensor's "
                   "origin"
                 : "subtract gravity from ax,ay,az, which describe only the motion of the "
                   "sensor's origin"});
}

void doubt_gravity(double size, std::vector<PayloadDoubt>& doubts) {
  if (near(size, 1, 0.05))
    doubts.push_back({"gravity-size", true, "gravity is about 1, so it is in units of g",
                      "multiply gx,gy,gz by 9.81"});
  else if (size > 1e-9 && !near(size, 9.81, 0.01))
    doubts.push_back(
        {"gravity-size", true,
         "gravity is " + number_text(size, 4) + " m/s^2, which does not occur on Earth",
         "the mass has the same relative error: scale gx,gy,gz to 9.78 to 9.83"});
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_motion(const WrenchSamples& samples,
                                              const LoggedMotion& motion) {
  std::vector<PayloadDoubt> doubts;
  const double size = motion.gravity.square().rowwise().sum().sqrt().mean();
  doubt_gravity(size, doubts);
  if (!samples.moves) return doubts;
  doubt_acceleration(motion, size, doubts);
  const Agreement turning = agreement(
      samples,
      [&](Eigen::Index i) -> Eigen::Vector3d {
        return -row(motion.w, i).cross(row(motion.gravity, i));
      },
      [&](Eigen::Index i) { return rate(samples, motion.gravity, i); });
  judge_ratio(turning, "angular-velocity",
              "gravity turns in the log by dg/dt = " + number_text(turning.ratio, 3) + " (-w x g)",
              "w", doubts);
  if (turning.power > 0.25 && turning.share < 0.5)
    doubts.push_back({"frames-differ", true,
                      "w and gravity are in different frames: dg/dt is not -w x g",
                      "give both in the same frame: that of the sensor or that of its mounting"});
  const Agreement spinning = agreement(
      samples, [&](Eigen::Index i) { return row(motion.wd, i); },
      [&](Eigen::Index i) { return rate(samples, motion.w, i); });
  if (!judge_ratio(spinning, "angular-acceleration",
                   "dw/dt = " + number_text(spinning.ratio, 3) + " alx,aly,alz", "alx,aly,alz",
                   doubts))
    doubt_missing_wd(samples, motion, doubts);
  return doubts;
}

std::vector<PayloadDoubt> doubts_about_rest(const Eigen::ArrayXd& time,
                                            const Eigen::ArrayXXd& gravity) {
  constexpr double kPosesApart = 0.5;  // [s]: rows of a table of poses
  constexpr double kMoving = 0.1;      // [rad/s]
  constexpr double kShare = 0.1;
  const Eigen::Index n = time.size();
  if (n < 10) return {};
  const double step = median_step(time);
  if (!(step > 0) || step > kPosesApart) return {};
  const auto apart = std::max<Eigen::Index>(1, std::lround(kStretch / step));
  double moving = 0, count = 0, fastest = 0;
  for (Eigen::Index i = 0; i + apart < n; i += apart) {
    const double duration = time[i + apart] - time[i];
    if (!(duration > 0) || duration > 10 * kStretch) continue;
    const Eigen::Vector3d a = row(gravity, i), b = row(gravity, i + apart);
    const double speed = std::atan2(a.cross(b).norm(), a.dot(b)) / duration;
    moving += speed > kMoving, ++count, fastest = std::max(fastest, speed);
  }
  if (!(moving > kShare * count)) return {};
  return {{"motion-without-columns", true,
           "the sensor turns while it is logged, by up to " + number_text(fastest, 2) +
               " rad/s, but the log has no columns for its motion, so every row is "
               "treated as a pose at rest",
           "add wx,wy,wz, alx,aly,alz and ax,ay,az, or keep only rows at rest"}};
}

}  // namespace heft::payload
