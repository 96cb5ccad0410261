// fix_robot: writes the nearest possible tensors into a document. Keeps the inertial's frame, so
// that only the necessary numbers change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files/whole_file.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "tensor.hpp"

namespace heft {

namespace check {

namespace {

void set_attribute(pugi::xml_node node, const char* name, double value) {
  pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) attribute = node.append_attribute(name);
  attribute.set_value(fmt::format("{}", value).c_str());
}

void write_tensor(pugi::xml_node inertia, const Eigen::Matrix3d& tensor) {
  set_attribute(inertia, "ixx", tensor(0, 0));
  set_attribute(inertia, "ixy", tensor(0, 1));
  set_attribute(inertia, "ixz", tensor(0, 2));
  set_attribute(inertia, "iyy", tensor(1, 1));
  set_attribute(inertia, "iyz", tensor(1, 2));
  set_attribute(inertia, "izz", tensor(2, 2));
}

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

  void fix(LinkFacts link) {
    if (link.has_mass && link.mass == 0 && link.has_tensor && !link.tensor.isZero(0))
      return put(link, {Eigen::Matrix3d::Zero(),
                        "no mass, so the tensor was removed; if the tensor is right, give the "
                        "mass"});
    if (!link.has_tensor || !(link.mass > 0)) return;
    fix_units(link);
    const auto better = better_tensor(link);
    if (better) put(link, *better);
  }

  std::vector<Repair> take_repairs() { return std::move(repairs_); }

 private:
  void fix_units(LinkFacts& link) {
    if (com_in_millimeters(robot_, link)) {
      link.X_link_inertial.translation() /= 1000;
      const Eigen::Vector3d c = link.com();
      link.inertial.child("origin").attribute("xyz").set_value(
          fmt::format("{} {} {}", c.x(), c.y(), c.z()).c_str());
      note(link, "center of mass taken as millimeters", NAN);
    }
    if (const auto reading = mass_in_grams(robot_, link)) {
      link.mass /= 1000;
      set_attribute(link.inertial.child("mass"), "value", link.mass);
      note(link, reading->meaning, NAN);
      link.tensor = reading->tensor;
      write_tensor(link.inertial.child("inertia"), link.tensor);
    }
    if (const auto reading = tensor_unit_slip(robot_, link)) put(link, *reading);
  }

  void put(LinkFacts& link, const Reading& reading) {
    note(link, reading.meaning, (reading.tensor - link.tensor).norm() / link.tensor.norm());
    link.tensor = reading.tensor;
    write_tensor(link.inertial.child("inertia"), link.tensor);
  }

  void note(const LinkFacts& link, const std::string& what, double distance) {
    repairs_.push_back({link.name, robot_.document->where(link.inertial), what, distance});
  }

  const RobotFacts& robot_;
  std::vector<Repair> repairs_;
};

}  // namespace

}  // namespace check

Result<std::vector<Repair>> fix_robot(const RobotDocument& document, const std::string& output_path,
                                      const CheckOptions& options) {
  HEFT_TRY(original, UrdfDocument::parse(document.path(), document.text()));
  HEFT_TRY(copy, UrdfDocument::parse(document.path(), document.text()));
  const check::RobotFacts robot = check::gather_facts(std::move(copy), options);
  check::LinkFixer fixer(robot);
  for (const check::LinkFacts& link : robot.links) fixer.fix(link);
  HEFT_CHECK(write_file_whole(output_path, original->with_changes(*robot.document)));
  return fixer.take_repairs();
}

}  // namespace heft
