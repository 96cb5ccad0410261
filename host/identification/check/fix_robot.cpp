// fix_robot: writes the nearest physically consistent tensors into the existing file. The frame of
// the inertial is kept, so only the necessary numbers change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files/whole_file.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "tensor.hpp"

namespace heft {

namespace check {

namespace {

// Sigma with its eigenvalues clipped from below: the nearest in the Frobenius norm that reaches the
// floor
Reading clipped(const LinkFacts& link) {
  constexpr double kShare = 1e-3, kThickness = 1e-3;  // of the largest eigenvalue; m
  const double size = link.size();
  const double thickness = size > 0 ? std::min(kThickness, 0.05 * size) : kThickness;
  const SymmetricEigen<3> eigen(covariance(link.tensor));
  const double floor = std::max(kShare * eigen.eigenvalues()[2], link.mass * thickness * thickness);
  const Eigen::Matrix3d sigma = eigen.eigenvectors() *
                                eigen.eigenvalues().cwiseMax(floor).asDiagonal() *
                                eigen.eigenvectors().transpose();
  return {tensor_from(sigma),
          fmt::format("eigenvalues of Sigma, the smallest {:.2g}, clipped at {:.2g} kg m^2",
                      eigen.eigenvalues()[0], floor)};
}

// The replacement of an impossible tensor; empty if it is possible.
std::optional<Reading> better_tensor(const LinkFacts& link) {
  const double smallest = smallest_spread(link.tensor);
  if (smallest > rounding_noise(link.tensor)) return {};
  if (!(smallest >= -rounding_allowance(link)) && !is_possible(link.tensor))
    for (const auto read : {products_negated, entries_reordered, parallel_axes_restored})
      if (auto reading = read(link)) return reading;
  return clipped(link);
}

class LinkFixer {
 public:
  explicit LinkFixer(const RobotFacts& robot) : robot_(robot) {}

  void fix(std::size_t index) {
    LinkFacts link = robot_.links[index];
    change_ = {.link = index};
    fix(link);
    if (change_.mass || change_.com || change_.tensor) changes_.push_back(change_);
  }

  const std::vector<InertialChange>& changes() const { return changes_; }
  std::vector<Repair> take_repairs() { return std::move(repairs_); }

 private:
  void fix(LinkFacts& link) {
    if (link.has_mass && link.mass == 0 && link.has_tensor && !link.tensor.isZero(0))
      return put(link, {Eigen::Matrix3d::Zero(),
                        "no mass, so the tensor was removed; if the tensor is right, give the "
                        "mass"});
    if (!link.has_tensor || !(link.mass > 0)) return;
    fix_units(link);
    const auto better = better_tensor(link);
    if (better) put(link, *better);
  }

  void fix_units(LinkFacts& link) {
    if (com_in_millimeters(robot_, link)) {
      link.X_link_inertial.translation() /= 1000;
      change_.com = link.com();
      note(link, "center of mass taken as millimeters", NAN);
    }
    if (const auto reading = mass_in_grams(robot_, link)) {
      link.mass /= 1000;
      change_.mass = link.mass;
      note(link, reading->meaning, NAN);
      link.tensor = reading->tensor;
      change_.tensor = link.tensor;
    }
    if (const auto reading = tensor_unit_slip(robot_, link)) put(link, *reading);
  }

  void put(LinkFacts& link, const Reading& reading) {
    note(link, reading.meaning, (reading.tensor - link.tensor).norm() / link.tensor.norm());
    link.tensor = reading.tensor;
    change_.tensor = link.tensor;
  }

  void note(const LinkFacts& link, const std::string& what, double distance) {
    repairs_.push_back({link.name, link.where_inertial, what, distance});
  }

  const RobotFacts& robot_;
  InertialChange change_;  // of the link at hand
  std::vector<InertialChange> changes_;
  std::vector<Repair> repairs_;
};

}  // namespace

}  // namespace check

Result<std::vector<Repair>> fix_robot(const RobotDocument& document, const std::string& output_path,
                                      const CheckOptions& options) {
  HEFT_TRY(written, document.as_written());
  const check::RobotFacts robot = check::gather_facts(written, document, options);
  check::LinkFixer fixer(robot);
  for (std::size_t k = 0; k < robot.links.size(); ++k) fixer.fix(k);
  HEFT_TRY(text, document.with_inertials(fixer.changes()));
  HEFT_CHECK(write_file_whole(output_path, text));
  return fixer.take_repairs();
}

}  // namespace heft
