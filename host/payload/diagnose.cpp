#include "diagnose.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number_text.hpp"
#include "methods.hpp"
#include "offset_checks.hpp"
#include "residual_checks.hpp"

namespace heft::payload {

namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kApart = 2 * kDegree;   // directions of gravity that count as two
constexpr double kTurned = 3 * kDegree;  // of the sensor against the motion
constexpr double kMostLeft =
    0.5;  // share of the power that a map may leave and still count as an explanation
constexpr double kClearlyBetter = 0.25;                    // share of what the map without a turn leaves
constexpr double kFarAway = 1.5;                           // [m]: no payload's centre of mass
constexpr double kClearlyOther = 0.05, kQuiteOther = 0.2;  // of a known mass
constexpr double kClipped = 0.01;  // share of samples at the largest value of a channel

/// f about its means = A u about its means, by least squares; `left` is the share of f's power that A leaves.
struct LinearMap {
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  double left = 1;
  bool known = false;  ///< u goes three ways
};

struct Centred {
  Eigen::ArrayXXd u, force, torque;
};

Centred centred(const WrenchSamples& samples, BiasKind bias) {
  Centred result{samples.motion.leftCols(3), samples.wrench.leftCols(3), samples.wrench.rightCols(3)};
  if (bias == BiasKind::none) return result;
  const std::vector<int> groups = bias_groups(samples, bias);
  for (std::size_t k = 0; k < groups.size();) {
    std::size_t end = k;
    while (end < groups.size() && groups[end] == groups[k]) ++end;
    const Eigen::Index begin = samples.segments[k].begin;
    const Eigen::Index size = samples.segments[end - 1].begin + samples.segments[end - 1].size - begin;
    for (Eigen::ArrayXXd* columns : {&result.u, &result.force, &result.torque}) {
      const Eigen::Array<double, 1, 3> mean = columns->middleRows(begin, size).colwise().mean();
      columns->middleRows(begin, size).rowwise() -= mean;
    }
    k = end;
  }
  return result;
}

LinearMap map_of(const Eigen::ArrayXXd& u, const Eigen::ArrayXXd& f) {
  LinearMap map;
  const Eigen::Matrix3d gram = u.matrix().transpose() * u.matrix();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(gram);
  const double power = f.square().sum();
  map.known = u.rows() >= 6 && svd.singularValues()[2] > 1e-4 * svd.singularValues()[0] && power > 0;
  if (!map.known) return map;
  map.A = gram.ldlt().solve(Eigen::Matrix3d(u.matrix().transpose() * f.matrix())).transpose();
  map.left = (f - (u.matrix() * map.A.transpose()).array()).square().sum() / power;
  return map;
}

/// f = m R u with R the rotation nearest to A / m; it leaves the share `left` of f's power. m < 0 where R would be a reflection.
struct Turned {
  Eigen::Matrix3d R;
  double mass;
  double left;
};

Turned turned(const LinearMap& map, const Eigen::ArrayXXd& u, const Eigen::ArrayXXd& f) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(map.A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Turned result{svd.matrixU() * svd.matrixV().transpose(), svd.singularValues().mean(), 1};
  if (result.R.determinant() < 0) result.R = -result.R, result.mass = -result.mass;
  const Eigen::ArrayXXd rest = f - (result.mass * (u.matrix() * result.R.transpose())).array();
  result.left = rest.square().sum() / f.square().sum();
  return result;
}

/// R such that the wrench turned by R' is best explained by a body: fits body and rotation in turn, from a first R.
Eigen::Matrix3d refined(Eigen::Matrix3d R, WrenchSamples samples, BiasKind bias) {
  constexpr int kRounds = 30;
  const Eigen::ArrayXXd measured = samples.wrench;
  for (int round = 0; round < kRounds; ++round) {
    for (int k = 0; k < 2; ++k)
      samples.wrench.middleCols(3 * k, 3) = (measured.middleCols(3 * k, 3).matrix() * R).array();
    const auto fit = least_squares_of(sums_of(samples, bias), 0);
    if (!fit) return R;
    const Eigen::ArrayXXd left = residuals_of(samples, bias, fit->x);
    const Eigen::ArrayXXd whole = residuals_of(samples, bias, BodyParameters::Zero());
    Eigen::Matrix3d product =
        Eigen::Matrix3d::Zero();  // of the wrench without bias and what the body explains of it
    for (int k = 0; k < 2; ++k) {
      const double power = whole.middleCols(3 * k, 3).square().sum();
      if (power > 0)
        product += whole.middleCols(3 * k, 3).matrix().transpose() *
                   (whole - left).middleCols(3 * k, 3).matrix() / power;
    }
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(product, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Matrix3d sign = Eigen::Matrix3d::Identity();
    sign(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant();
    R = (R * svd.matrixU() * sign * svd.matrixV().transpose()).eval();
  }
  return R;
}

std::string degrees(double radians) {
  return number_text(radians / kDegree, 3);
}

std::string mounting_words(const Eigen::Matrix3d& R) {
  const Eigen::Matrix<double, 6, 1> pose = numbers_of(Eigen::Isometry3d(R));
  return "payload.mounting: [0, 0, 0, " + number_text(pose[3], 4) + ", " + number_text(pose[4], 4) + ", " +
         number_text(pose[5], 4) + "]";
}

double mass_of(const Centred& about) {
  const double power = about.u.square().sum();
  return power > 0 ? (about.u * about.force).sum() / power : 0;
}

void doubt_turned(const WrenchSamples& samples, const Centred& about, BiasKind bias,
                  std::vector<PayloadDoubt>& doubts) {
  const LinearMap map = map_of(about.u, about.force);
  if (!map.known || map.left > kMostLeft) return;
  const Turned fit = turned(map, about.u, about.force);
  if (Eigen::AngleAxisd(fit.R).angle() < kTurned) return;
  const Eigen::Matrix3d R = refined(fit.R, samples, bias);
  const double angle = Eigen::AngleAxisd(R).angle();
  const double straight =
      (about.force - mass_of(about) * about.u).square().sum() / about.force.square().sum();
  if (fit.mass > 0 && angle > kTurned && fit.left < kClearlyBetter * straight)
    doubts.push_back(
        {"sensor-turned", true,
         "the force is turned by " + degrees(angle) +
             " degrees against the motion: the sensor is mounted otherwise than the log says",
         "set " + mounting_words(R.transpose()) +
             " (the sensor's pose in the frame whose motion is logged), on top of a mounting that is set"});
}

void doubt_clipped(const WrenchSamples& samples, std::vector<PayloadDoubt>& doubts) {
  static const char* const kNames[] = {"fx", "fy", "fz", "nx", "ny", "nz"};
  if (samples.size() < 100) return;
  for (int c = 0; c < 6; ++c) {
    if (samples.wrench.col(c).maxCoeff() == samples.wrench.col(c).minCoeff())
      doubts.push_back({"channel-dead", true, std::string(kNames[c]) + " never changes: the channel is dead",
                        "connect it, or check which column of the driver it is"});
    for (const double sign : {1.0, -1.0}) {
      const Eigen::ArrayXd values = sign * samples.wrench.col(c);
      const double largest = values.maxCoeff();
      const auto at = (values == largest).count();
      if (values.minCoeff() < largest &&
          static_cast<double>(at) > kClipped * static_cast<double>(samples.size()) && at >= 5)
        doubts.push_back({"channel-clipped", true,
                          std::string(kNames[c]) + " stands at " + number_text(sign * largest, 4) + " for " +
                              std::to_string(at) + " samples: the sensor is saturated or stuck",
                          "use a larger range, move less, or leave these samples out"});
    }
  }
}

/// |c| of n = c x f, by least squares about the means: where torque alone has the centre of mass.
double lever(const Centred& about) {
  Eigen::Matrix3d gram = about.force.square().sum() * Eigen::Matrix3d::Identity();
  gram -= about.force.matrix().transpose() * about.force.matrix();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  for (Eigen::Index i = 0; i < about.force.rows(); ++i) {
    const Eigen::Vector3d f = about.force.row(i).matrix().transpose(),
                          n = about.torque.row(i).matrix().transpose();
    right += f.cross(n);
  }
  return gram.determinant() > 0 ? gram.ldlt().solve(right).norm() : 0;
}

void doubt_torque_unit(double reach, std::vector<PayloadDoubt>& doubts) {
  if (!(reach > kFarAway)) return;
  const bool millimetres = reach < 1000 * kFarAway && reach > 20 * kFarAway;
  doubts.push_back({"torque-unit", true,
                    "the centre of mass would be " + number_text(reach, 3) + " m away from the sensor" +
                        (millimetres ? ": nx,ny,nz look like N mm" : ""),
                    millimetres
                        ? "divide nx,ny,nz by 1000: they are in N m"
                        : "check the unit of nx,ny,nz: those in N mm have to be divided by 1000, in N cm by "
                          "100"});
}

/// What a known mass says about its own unit and that of the force, by `free_mass` of force and torque or `by_force`, the force alone,
/// which a torque in another unit does not pull along. True: it is a unit.
bool doubt_mass(double free_mass, double by_force, double known_mass, std::vector<PayloadDoubt>& doubts) {
  const auto weighs = [&](double mass) {
    return "the log weighs " + number_text(mass, 4) + " kg where " + number_text(known_mass, 4) +
           " kg are known";
  };
  double mass = free_mass;  // the one that a unit explains
  const auto is_about = [&](double unit) {
    for (const double of : {free_mass, by_force})
      if (mass = of; std::abs(known_mass / of / unit - 1) < 0.1) return true;
    return false;
  };
  for (const auto& [unit, what] : {std::pair{1000.0, "grams"}, std::pair{2.20462, "pounds"}})
    if (is_about(unit)) {
      doubts.push_back({"known-mass", true, weighs(mass) + ": payload.known_mass looks like " + what,
                        "write it in kilograms: " + number_text(known_mass / unit, 4)});
      return true;
    }
  for (const auto& [unit, what] : {std::pair{9.80665, "kilograms-force"}, std::pair{4.4482, "pounds-force"},
                                   std::pair{1 / 9.80665, "newtons multiplied by g once more"}})
    if (is_about(unit)) {
      doubts.push_back(
          {"force-unit", true, weighs(mass) + ": the force looks like " + what,
           "multiply fx,fy,fz by " + number_text(unit, 5) + ", and check the unit of the torque"});
      return true;
    }
  const double ratio = known_mass / free_mass;
  if (std::abs(ratio - 1) > kClearlyOther)
    doubts.push_back({"known-mass", std::abs(ratio - 1) > kQuiteOther, weighs(free_mass),
                      "check payload.known_mass, the calibration, payload.gravity and what else hangs on the "
                      "sensor"});
  return false;
}

void doubt_units(const WrenchSamples& samples, const Centred& about, const PayloadOptions& options,
                 std::vector<PayloadDoubt>& doubts) {
  const auto free = least_squares_of(sums_of(samples, options.bias));
  if (!free) return;
  const double mass = free->x[core::kMass];
  const double by_force = mass_of(about), known = options.limits.known_mass;
  if (known > 0 && mass > 0 && by_force > 0 && doubt_mass(mass, by_force, known, doubts)) return;
  doubt_torque_unit(std::max(lever(about), free->x.segment<3>(core::kMcx).norm() / std::abs(mass)), doubts);
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
  const Centred about = centred(samples, options.bias);
  if (!samples.moves && options.bias != BiasKind::none && num_directions(samples) < 2)
    return Error{"payload", "all poses have one direction of gravity: with an unknown bias they tell no mass",
                 "turn the sensor: two directions tell the mass, three the centre of mass; or set "
                 "payload.bias: none for a "
                 "sensor without offset"};
  if (!(about.u.square().sum() > 1e-6 * static_cast<double>(samples.size())))
    return Error{"payload",
                 "neither motion nor direction of gravity changes: with an unknown bias nothing can be told",
                 "turn the sensor while it is logged, or set payload.bias: none"};
  const LinearMap force = map_of(about.u, about.force), torque = map_of(about.u, about.torque);
  if (torque.known && force.known) {
    // m u has the shape of u; h x u has no part along u
    const Turned as_force = turned(torque, about.u, about.torque);
    const double mass_share = force.A.trace() * force.A.trace() / (3 * force.A.squaredNorm());
    if (as_force.left < 0.1 && mass_share < 0.1 && force.left < kMostLeft)
      return Error{"payload",
                   "the columns of the torque follow gravity as a force does, and those of the force do not",
                   "swap fx,fy,fz and nx,ny,nz"};
  }
  const double mass = mass_of(about);
  const double left = (about.force - mass * about.u).square().sum() / about.force.square().sum();
  if (mass < 0 && left < kMostLeft)
    return Error{"payload",
                 "the mass would be " + number_text(mass, 4) + " kg: force and gravity are opposed",
                 options.sensor.sign > 0 ? "set payload.sign: -1 for a sensor that reports what the payload "
                                           "exerts on it; or gravity points up in "
                                           "the log"
                                         : "set payload.sign: 1; or gravity points up in the log"};
  return Done{};
}

std::vector<PayloadDoubt> doubts_about(const WrenchSamples& samples, const PayloadOptions& options,
                                       const BodyParameters& answer) {
  std::vector<PayloadDoubt> doubts;
  const Centred about = centred(samples, options.bias);
  doubt_turned(samples, about, options.bias, doubts);
  doubt_units(samples, about, options, doubts);
  doubt_clipped(samples, doubts);
  for (PayloadDoubt& doubt : doubts_about_residuals(samples, options, answer))
    doubts.push_back(std::move(doubt));
  for (PayloadDoubt& doubt : doubts_about_offsets(samples, options, answer))
    doubts.push_back(std::move(doubt));
  if (!samples.moves && num_directions(samples) == 2 && options.bias != BiasKind::none)
    doubts.push_back(
        {"two-directions", true,
         "two directions of gravity tell the mass, but not the centre of mass along their difference",
         "add a third direction"});
  if (!samples.moves)
    doubts.push_back({"tensor-at-rest", false,
                      "poses at rest tell mass and centre of mass; the tensor is that of the prior",
                      "log a motion for the tensor"});
  return doubts;
}

}  // namespace heft::payload
