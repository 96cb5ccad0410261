#include "answer_checks.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "model/units.hpp"

namespace heft::payload {

namespace {

constexpr double kOutOfReach = 1.5;  // [m] from the frame's origin: no payload's center of mass
constexpr const char* kNoPayload = "no-payload";

/// Tests whether the center of mass lies outside the shape, which no density distribution allows.
/// True: along an axis of the frame, the whole interval lies beyond the shape's extents. Points
/// extend by half of their spacing.
bool is_outside(const PayloadShape& shape, const std::array<PayloadInterval, 3>& com) {
  constexpr double kEnds = 0.02;  // of the extent
  const Eigen::Matrix3Xd& places = shape.corners.cols() > 0 ? shape.corners : shape.points;
  if (places.cols() == 0) return false;
  const double around =
      shape.corners.cols() > 0 ? 0 : std::cbrt(std::max(shape.volumes.mean(), 0.0)) / 2;
  const Eigen::Array3d least = places.rowwise().minCoeff().array() - around,
                       largest = places.rowwise().maxCoeff().array() + around,
                       low = least + kEnds * (largest - least),
                       high = largest - kEnds * (largest - least);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<Eigen::Index>(axis);
    if (com[axis].high < low[k] || com[axis].low > high[k]) return true;
  }
  return false;
}

std::string kilograms(double mass) {
  return number_text(mass, 3) + " kg";
}

void doubt_payload(const PayloadResult& result, std::vector<PayloadDoubt>& doubts) {
  // calibration: nothing may stay on the sensor
  if (result.shows_payload() || result.options.is_calibration) return;
  const bool is_open = !std::isfinite(result.mass.high);
  // without an interval, the mass cannot be rejected
  if (is_open && !result.is_by_torques()) return;
  const std::string on = result.is_by_torques() ? result.frame + " carries" : "the sensor holds";
  const std::string seen =
      is_open ? "the log does not determine the mass"
              : "the mass is " + kilograms(result.answer().parameters[core::kMass]) +
                    ", 95 %: " + kilograms(result.mass.low) + " to " + kilograms(result.mass.high);
  std::string remedy = "check that the payload was attached";
  if (result.is_by_torques())
    remedy += ", that --link carries it, and that the model was identified without it";
  else
    remedy +=
        "; did the controller subtract a configured payload? Set its payload to zero, or log the raw wrench "
        "of the sensor, and record again";
  if (is_open) remedy = "record a longer log with larger rotations; " + remedy;
  doubts.push_back({kNoPayload, true, "the log does not show that " + on + " a payload: " + seen,
                    std::move(remedy)});
}

void doubt_reach(const PayloadResult& result, std::vector<PayloadDoubt>& doubts) {
  const BodyParameters& x = result.answer().parameters;
  const double away = x.segment<3>(core::kMcx).norm() / x[core::kMass];
  if (!result.shows_payload() || !(away > kOutOfReach)) return;
  const bool is_by_torques = result.is_by_torques();
  doubts.push_back(
      {"far-from-link", true,
       "the center of mass is " + number_text(away, 3) + " m from the origin of " +
           (is_by_torques ? result.frame : "the sensor"),
       is_by_torques
           ? "check --link and the units of the log"
           : "check the units of nx,ny,nz (N m), and the point that the torque refers to"});
}

/// The mass is undetermined or zero if the sensor's offset changes within the log.
bool has_moving_offset(const std::vector<PayloadDoubt>& doubts) {
  return std::any_of(doubts.begin(), doubts.end(), [](const PayloadDoubt& doubt) {
    return doubt.id == "offset-jumps" || doubt.id == "offset-drifted" ||
           doubt.id == "payload-changes";
  });
}

/// No material has such a density: force, torque or shape have the wrong unit.
void doubt_density(const PayloadResult& result, std::vector<PayloadDoubt>& doubts) {
  constexpr double kLightest = 5;  // [kg/m^3]: foam
  const PayloadShape& shape = result.shape;
  const double mass = result.answer().parameters[core::kMass], density = mass / shape.volume;
  if (!result.shows_payload() || !(shape.volume > 0) || shape.kind == PayloadShape::Kind::points ||
      (density > kLightest && density < kDensestMaterial))
    return;
  doubts.push_back(
      {"density", true,
       number_text(mass, 3) + " kg in the shape's " + number_text(1000 * shape.volume, 3) +
           " liters would be " + number_text(density, 3) + " kg/m^3, which no material has",
       result.is_by_torques()
           ? "check the unit of the joint torques (N m) and that the shape is in meters"
           : "check the unit of fx,fy,fz (newtons, not kilograms) and that the shape is in meters"});
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_answer(const PayloadResult& result) {
  std::vector<PayloadDoubt> doubts;
  if (!has_moving_offset(result.doubts)) doubt_payload(result, doubts);
  doubt_reach(result, doubts);
  doubt_density(result, doubts);
  return doubts;
}

std::optional<PayloadDoubt> doubt_about_shape(const PayloadResult& result, bool prior_disagrees) {
  if (result.shape.kind == PayloadShape::Kind::nothing) return {};
  if (!prior_disagrees && !is_outside(result.shape, result.com)) return {};
  const std::string point = result.is_by_torques()
                                ? ""
                                : "; or the torque refers to a point other than the sensor's "
                                  "origin";
  return PayloadDoubt{"shape-disagrees", true,
                      prior_disagrees ? "shape and log disagree about mass or center of mass"
                                      : "the center of mass lies outside the shape",
                      "check --pose and the units of the shape, or weigh without it" + point};
}

void drop_doubts_of_nothing(PayloadResult& result) {
  constexpr double kNoise = 0.5;  // sensor noise [N] for poses at rest
  std::vector<PayloadDoubt>& doubts = result.doubts;
  const auto is = [](const char* id) {
    return [id](const PayloadDoubt& doubt) { return doubt.id == id; };
  };
  if (std::none_of(doubts.begin(), doubts.end(), is(kNoPayload))) return;
  // the lever and direction of a force within noise are undefined
  for (const char* id : {"torque-unit", "sensor-turned", "tared-with-payload"})
    std::erase_if(doubts, is(id));
  const bool is_quiet =
      !result.samples.moves && result.residual_rms.head<3>().norm() < kNoise * std::sqrt(3.0);
  std::erase_if(doubts, [&](const PayloadDoubt& doubt) {
    return (!doubt.serious || is_quiet) &&
           (doubt.id == "unexplained-force" || doubt.id == "unexplained-torque");
  });
}

}  // namespace heft::payload
