#include "heft/solve/problem.hpp"

#include "base/number_text.hpp"

namespace heft {

namespace {

// upper m - h >= 0 along a direction: `normal` . h - bound m <= 0
LinearConstraint com_half_space(const ParameterLayout& layout, int body,
                                const Eigen::Vector3d& normal, double bound, std::string name) {
  LinearConstraint row;
  row.name = std::move(name);
  row.terms.emplace_back(layout.index(body, core::kMass), bound);
  for (int axis = 0; axis < 3; ++axis) {
    if (normal[axis] != 0) {
      row.terms.emplace_back(core::kNumParameters * body + core::kMcx + axis, -normal[axis]);
    }
  }
  row.lower = 0;
  return row;
}

}  // namespace

Eigen::Matrix4d ellipsoid_matrix(const Eigen::Vector3d& center, const Eigen::Vector3d& semi_axes,
                                 const Eigen::Matrix3d& R) {
  const Eigen::Matrix3d inverse =
      R * semi_axes.cwiseAbs2().cwiseInverse().asDiagonal() * R.transpose();
  Eigen::Matrix4d Q;
  Q.topLeftCorner<3, 3>() = -inverse;
  Q.topRightCorner<3, 1>() = inverse * center;
  Q.bottomLeftCorner<1, 3>() = (inverse * center).transpose();
  Q(3, 3) = 1 - center.dot(inverse * center);
  return Q;
}

LinearConstraint mass_bounds(const ParameterLayout& layout, int body, double lower_kg,
                             double upper_kg) {
  return {"mass of " + layout.bodies[body],
          {{layout.index(body, core::kMass), 1.0}},
          lower_kg,
          upper_kg};
}

LinearConstraint fixed_mass(const ParameterLayout& layout, int body, double mass_kg) {
  return mass_bounds(layout, body, mass_kg, mass_kg);
}

LinearConstraint total_mass(const ParameterLayout& layout, double mass_kg) {
  LinearConstraint row{"total mass", {}, mass_kg, mass_kg};
  for (int body = 0; body < layout.num_bodies(); ++body) {
    row.terms.emplace_back(layout.index(body, core::kMass), 1.0);
  }
  return row;
}

std::vector<LinearConstraint> com_box(const ParameterLayout& layout, int body,
                                      const Eigen::Vector3d& lower, const Eigen::Vector3d& upper) {
  std::vector<LinearConstraint> rows;
  for (int axis = 0; axis < 3; ++axis) {
    const std::string what =
        std::string("center of mass of ") + layout.bodies[body] + ", " + "xyz"[axis];
    const Eigen::Vector3d direction = Eigen::Vector3d::Unit(axis);
    rows.push_back(com_half_space(layout, body, -direction, -lower[axis],
                                  what + " >= " + number_text(lower[axis])));
    rows.push_back(com_half_space(layout, body, direction, upper[axis],
                                  what + " <= " + number_text(upper[axis])));
  }
  return rows;
}

std::vector<LinearConstraint> com_polytope(const ParameterLayout& layout, int body,
                                           const Eigen::MatrixX3d& A, const Eigen::VectorXd& b) {
  std::vector<LinearConstraint> rows;
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    rows.push_back(com_half_space(
        layout, body, A.row(k).transpose(), b[k],
        "center of mass of " + layout.bodies[body] + ", face " + std::to_string(k + 1)));
  }
  return rows;
}

}  // namespace heft
