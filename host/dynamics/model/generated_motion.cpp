#include "heft/model/generated_motion.hpp"

#include <cmath>
#include <string>

#include "base/number_text.hpp"
#include "model/sample_view.hpp"

namespace heft {

namespace {

constexpr double kSlack = 1e-12;  ///< of a spline's length, by which rounding may move a sample out
                                  ///< of it

bool are_finite(const FourierMotion& motion) {
  return std::isfinite(motion.frequency) && motion.center.allFinite() && motion.sine.allFinite() &&
         motion.cosine.allFinite();
}

bool are_finite(const SplineMotion& motion) {
  return std::isfinite(motion.interval) && motion.control.allFinite();
}

Result<Done> check_sizes(const FourierMotion& motion, Eigen::Index num_coordinates) {
  const bool fits =
      motion.center.size() == num_coordinates && motion.sine.cols() == num_coordinates &&
      motion.cosine.cols() == num_coordinates && motion.sine.rows() == motion.cosine.rows();
  if (!fits)
    return Error{"motion", "does not have one set of coefficients per coordinate",
                 "give one set per coordinate of the robot"};
  return Done{};
}

Result<Done> check_sizes(const SplineMotion& motion, Eigen::Index num_coordinates) {
  if (motion.control.cols() != num_coordinates)
    return Error{"motion", "does not have one set of control points per coordinate",
                 "give one set per coordinate of the robot"};
  const Eigen::Index num_intervals = motion.control.rows() - core::kSplineDegree;
  if (num_intervals < 1)
    return Error{"motion",
                 "its " + std::to_string(motion.control.rows()) +
                     " control points per coordinate are too few for an interval",
                 "give " + std::to_string(core::kSplineDegree + 1) + " or more"};
  if (!(motion.interval > 0))
    return Error{"motion", "its knots are " + number_text(motion.interval) + " s apart",
                 "give a time above zero"};
  const double last = motion.begin + motion.step * static_cast<double>(motion.num_samples - 1);
  const double end = motion.interval * static_cast<double>(num_intervals), slack = kSlack * end;
  const auto is_inside = [&](double time) { return time >= -slack && time <= end + slack; };
  if (motion.num_samples > 0 && !(is_inside(motion.begin) && is_inside(last)))
    return Error{"motion",
                 "its samples are from " + number_text(motion.begin) + " s to " +
                     number_text(last) + " s, its spline is from 0 to " + number_text(end) + " s",
                 "begin at 0 or later; give more control points or fewer samples"};
  return Done{};
}

core::MotionView view_of(const FourierMotion& motion) {
  return {.kind = core::MotionKind::fourier,
          .num_coordinates = static_cast<int>(motion.center.size()),
          .begin = motion.begin,
          .step = motion.step,
          .fourier = {static_cast<int>(motion.sine.rows()), motion.frequency, motion.center.data(),
                      motion.sine.data(), motion.cosine.data()},
          .spline = {}};
}

core::MotionView view_of(const SplineMotion& motion) {
  return {.kind = core::MotionKind::spline,
          .num_coordinates = static_cast<int>(motion.control.cols()),
          .begin = motion.begin,
          .step = motion.step,
          .fourier = {},
          .spline = {static_cast<int>(motion.control.rows()) - core::kSplineDegree,
                     1 / motion.interval, motion.control.data()}};
}

}  // namespace

Result<Done> check_motion(const RegressorPlan& plan, const GeneratedMotion& motion,
                          std::int64_t begin, std::int64_t count) {
  if (plan.robot.floating_base || plan.num_signals > 0)
    return Error{"motion", "supports only fixed bases and columns without expressions",
                 "fix the base, and remove columns with expressions"};
  return std::visit(
      [&](const auto& given) -> Result<Done> {
        if (!std::isfinite(given.begin) || !std::isfinite(given.step) || !are_finite(given))
          return Error{"motion", "has a coefficient or a time that is not a finite number",
                       "give finite coefficients, begin and step"};
        HEFT_CHECK(check_sizes(given, plan.robot.num_coordinates()));
        if (begin < 0 || begin + count > given.num_samples)
          return Error{"motion",
                       "has " + std::to_string(given.num_samples) +
                           " samples, but a job requests samples " + std::to_string(begin) +
                           " to " + std::to_string(begin + count - 1),
                       "give it more samples, or the job fewer"};
        return Done{};
      },
      motion);
}

core::MotionView motion_view(const GeneratedMotion& motion) {
  return std::visit([](const auto& given) { return view_of(given); }, motion);
}

}  // namespace heft
