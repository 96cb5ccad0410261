#include "diagnose.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "channel_checks.hpp"
#include "force_and_motion.hpp"
#include "model/units.hpp"
#include "residual_checks.hpp"
#include "sample_checks.hpp"
#include "unit_checks.hpp"

namespace heft::payload {

namespace {

constexpr double kApart = 2 * kDegree;  // directions of gravity that count as two

/// The residual of a changing offset or a missing weight is not a separate doubt.
void drop_explained(std::vector<PayloadDoubt>& doubts) {
  const bool is_explained =
      std::any_of(doubts.begin(), doubts.end(), [](const PayloadDoubt& doubt) {
        return doubt.id == "offset-jumps" || doubt.id == "offset-drifted" ||
               doubt.id == "weight-compensated";
      });
  if (!is_explained) return;
  std::erase_if(doubts,
                [](const PayloadDoubt& doubt) { return doubt.id.starts_with("unexplained"); });
}

}  // namespace

int num_directions(const WrenchSamples& samples) {
  constexpr int kEnough = 50;
  std::vector<Eigen::Vector3d> found;
  for (Eigen::Index i = 0; i < samples.size() && found.size() < kEnough; ++i) {
    const Eigen::Vector3d g = -samples.motion.row(i).head<3>().matrix().transpose();
    bool is_new = g.norm() > 0;
    for (const Eigen::Vector3d& other : found)
      is_new = is_new && std::atan2(g.cross(other).norm(), g.dot(other)) > kApart;
    if (is_new) found.push_back(g);
  }
  return static_cast<int>(found.size());
}

Result<Done> refuse_hopeless(const WrenchSamples& samples, const PayloadOptions& options) {
  const Centered about = centered(samples, options.bias);
  if (!samples.moves && options.bias != BiasKind::none && num_directions(samples) < 2)
    return Error{"payload",
                 "all poses have the same direction of gravity: with an unknown bias "
                 "they do not determine the mass",
                 "turn the sensor: two directions determine the mass, three the center "
                 "of mass; or set payload.bias: none for a sensor without offset"};
  if (!(about.u.square().sum() > 1e-6 * static_cast<double>(samples.size())))
    return Error{"payload",
                 "neither the motion nor the direction of gravity changes: with an "
                 "unknown bias nothing can be determined",
                 "turn the sensor while it is logged, or set payload.bias: none"};
  const LinearMap force = map_of(about.u, about.force), torque = map_of(about.u, about.torque);
  if (torque.known && force.known) {
    // m u has the shape of u; h x u has no part along u
    const Turned as_force = turned(torque, about.u, about.torque);
    const double mass_share = force.A.trace() * force.A.trace() / (3 * force.A.squaredNorm());
    if (as_force.left < 0.1 && mass_share < 0.1 && force.left < kMaxLeft)
      return Error{
          "payload",
          "the torque columns follow gravity as a force does, and the force columns do not",
          "swap fx,fy,fz and nx,ny,nz"};
  }
  const double mass = mass_of(about);
  const double left = (about.force - mass * about.u).square().sum() / about.force.square().sum();
  if (mass < 0 && left < kMaxLeft)
    return Error{
        "payload",
        "the mass would be " + number_text(mass, 4) + " kg: force and gravity have opposite signs",
        options.sensor.sign > 0 ? "set payload.sign: -1 for a sensor that reports what the payload "
                                  "exerts on it; or gravity points up in "
                                  "the log"
                                : "set payload.sign: 1; or gravity points up in the log"};
  return Done{};
}

std::vector<PayloadDoubt> doubts_about(const WrenchSamples& samples, const PayloadOptions& options,
                                       const BodyParameters& answer) {
  std::vector<PayloadDoubt> doubts;
  const Centered about = centered(samples, options.bias);
  const auto take = [&](std::vector<PayloadDoubt> more) {
    for (PayloadDoubt& doubt : more) doubts.push_back(std::move(doubt));
  };
  take(doubts_about_turn(samples, about, options.bias));
  take(doubts_about_units(samples, about, options));
  take(doubts_about_channels(samples.wrench));
  take(doubts_about_residuals(samples, options, answer));
  take(doubts_about_offsets(samples, options, answer));
  take(doubts_about_weight(samples, options));
  drop_explained(doubts);
  if (!samples.moves && num_directions(samples) == 2 && options.bias != BiasKind::none)
    doubts.push_back({"two-directions", true,
                      "two directions of gravity determine the mass, but not the center of "
                      "mass along their difference",
                      "add a third direction"});
  if (!samples.moves)
    doubts.push_back({"tensor-at-rest", false,
                      "poses at rest determine mass and center of mass; the tensor comes from "
                      "the prior",
                      "log a motion to determine the tensor"});
  return doubts;
}

}  // namespace heft::payload
