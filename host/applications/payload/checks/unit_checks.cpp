#include "unit_checks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "linalg/factorizations.hpp"
#include "methods/methods.hpp"
#include "sums/sums.hpp"

namespace heft::payload {

namespace {

constexpr double kFarAway = 1.5;                           // [m]: no payload's center of mass
constexpr double kClearlyOther = 0.05, kQuiteOther = 0.2;  // of a known mass

/// |c| of n = c x f, by least squares about the means: the distance of the center of mass according
/// to the torque alone.
double lever(const Centered& about) {
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
  const bool millimeters = reach < 1000 * kFarAway && reach > 20 * kFarAway;
  doubts.push_back(
      {"torque-unit", true,
       "the center of mass would be " + number_text(reach, 3) + " m away from the sensor" +
           (millimeters ? ": nx,ny,nz look like N mm" : ""),
       millimeters ? "divide nx,ny,nz by 1000 to convert them to N m"
                   : "check the unit of nx,ny,nz: divide by 1000 for N mm, by 100 for N cm"});
}

std::string weighs(double mass, double known_mass) {
  return "the log gives " + number_text(mass, 4) + " kg, but the known mass is " +
         number_text(known_mass, 4) + " kg";
}

bool is_about(double ratio, double unit) {
  return std::abs(ratio / unit - 1) < 0.1;
}

/// Reports a known mass in a unit other than kilograms.
std::optional<PayloadDoubt> doubt_unit_of_known_mass(double mass, double known_mass) {
  for (const auto& [unit, what] : {std::pair{1000.0, "grams"}, std::pair{2.20462, "pounds"}})
    if (is_about(known_mass / mass, unit))
      return PayloadDoubt{"known-mass", true,
                          weighs(mass, known_mass) + ": payload.known_mass looks like " + what,
                          "write it in kilograms: " + number_text(known_mass / unit, 4)};
  return {};
}

std::optional<PayloadDoubt> doubt_unit_of_force(double mass, double known_mass) {
  for (const auto& [unit, what] :
       {std::pair{9.80665, "kilograms-force"}, std::pair{4.4482, "pounds-force"},
        std::pair{1 / 9.80665, "newtons multiplied by g again"}})
    if (is_about(known_mass / mass, unit))
      return PayloadDoubt{
          "force-unit", true, weighs(mass, known_mass) + ": the force looks like " + what,
          "multiply fx,fy,fz by " + number_text(unit, 5) + ", and check the unit of the torque"};
  return {};
}

/// Reports a known mass that contradicts the log in every unit.
std::optional<PayloadDoubt> doubt_known_mass(double mass, double known_mass,
                                             const char* else_to_check) {
  const double off = std::abs(known_mass / mass - 1);
  if (!(off > kClearlyOther)) return {};
  return PayloadDoubt{"known-mass", off > kQuiteOther, weighs(mass, known_mass),
                      std::string("check payload.known_mass, ") + else_to_check};
}

/// Compares a known mass with `free_mass` (force and torque) or `by_force` (force alone, unaffected
/// by the unit of the torque) to find a wrong unit of mass or force. True: a unit is wrong.
bool doubt_mass(double free_mass, double by_force, double known_mass,
                std::vector<PayloadDoubt>& doubts) {
  for (const auto& doubt_unit : {doubt_unit_of_known_mass, doubt_unit_of_force})
    for (const double mass : {free_mass, by_force})
      if (auto doubt = doubt_unit(mass, known_mass)) {
        doubts.push_back(*std::move(doubt));
        return true;
      }
  if (auto doubt = doubt_known_mass(
          free_mass, known_mass,
          "the calibration, payload.gravity and anything else attached to the sensor"))
    doubts.push_back(*std::move(doubt));
  return false;
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_units(const WrenchSamples& samples, const Centered& about,
                                             const PayloadOptions& options) {
  std::vector<PayloadDoubt> doubts;
  const auto free = least_squares_of(sums_of(samples, options.bias));
  if (!free) return doubts;
  const double mass = free->x[core::kMass];
  const double by_force = mass_of(about), known = options.limits.known_mass;
  if (known > 0 && mass > 0 && by_force > 0 && doubt_mass(mass, by_force, known, doubts))
    return doubts;
  doubt_torque_unit(std::max(lever(about), free->x.segment<3>(core::kMcx).norm() / std::abs(mass)),
                    doubts);
  return doubts;
}

std::vector<PayloadDoubt> doubts_about_mass_by_torques(double mass, double known_mass) {
  if (!(known_mass > 0) || !(mass > 0)) return {};
  auto doubt = doubt_unit_of_known_mass(mass, known_mass);
  if (!doubt)
    doubt = doubt_known_mass(mass, known_mass, "the torque constants of the joints, and --link");
  return doubt ? std::vector{*std::move(doubt)} : std::vector<PayloadDoubt>();
}

}  // namespace heft::payload
