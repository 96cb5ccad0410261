#include "conic_form.hpp"

#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "heft/model/robot.hpp"
#include "linalg/factorizations.hpp"
#include "solve/prior_term.hpp"
#include "svec.hpp"

namespace heft::solver {

namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

// [[I, S(h)], [S(h)', m 1]], angular first (FORMULAS 5)
Matrix6d spatial_inertia(const BodyParameters& p) {
  Matrix6d M;
  Eigen::Matrix3d I, S;
  I << p[core::kIxx], p[core::kIxy], p[core::kIxz], p[core::kIxy], p[core::kIyy], p[core::kIyz],
      p[core::kIxz], p[core::kIyz], p[core::kIzz];
  S << 0, -p[core::kMcz], p[core::kMcy], p[core::kMcz], 0, -p[core::kMcx], -p[core::kMcy],
      p[core::kMcx], 0;
  M << I, S, S.transpose(), p[core::kMass] * Eigen::Matrix3d::Identity();
  return M;
}

// One block of K: rows of A as columns of coefficients per variable.
struct ConeBlock {
  std::string name;
  int body = -1;
  Eigen::MatrixXd scale;                                 // congruence factor, empty for rows
  std::vector<std::pair<int, Eigen::VectorXd>> columns;  // variable, svec coefficients
  Eigen::VectorXd offset;
  ConeKind kind = ConeKind::row;
};

// Collects blocks by kind and lays them out in the order of ConeShape.
class Assembler {
 public:
  void add(ConeBlock block) {
    blocks_[static_cast<std::size_t>(block.kind)].push_back(std::move(block));
  }

  void write(ConicForm& form) {
    const auto count = [&](ConeKind kind) {
      return static_cast<int>(blocks_[static_cast<std::size_t>(kind)].size());
    };
    form.cone = {count(ConeKind::psd4), count(ConeKind::psd6), count(ConeKind::row), {}};
    for (const ConeBlock& block : blocks_[static_cast<std::size_t>(ConeKind::second_order)])
      form.cone.second_order.push_back(static_cast<int>(block.offset.size()));
    form.a.setZero(form.cone.size());
    std::vector<Eigen::Triplet<double>> entries;
    int begin = 0;
    for (auto& of_kind : blocks_) {
      for (ConeBlock& block : of_kind) {
        for (const auto& [variable, coefficients] : block.columns) {
          for (Eigen::Index r = 0; r < coefficients.size(); ++r) {
            if (coefficients[r] != 0)
              entries.emplace_back(begin + static_cast<int>(r), variable, coefficients[r]);
          }
        }
        form.a.segment(begin, block.offset.size()) = block.offset;
        begin += static_cast<int>(block.offset.size());
        form.block_names.push_back(std::move(block.name));
        form.block_body.push_back(block.body);
        form.block_scale.push_back(std::move(block.scale));
      }
    }
    form.A.resize(form.cone.size(), form.size());
    form.A.setFromTriplets(entries.begin(), entries.end());
  }

 private:
  std::array<std::vector<ConeBlock>, 4> blocks_;  // by ConeKind
};

// coefficients of sign * svec(J) of the ten parameters that begin at `first`
void add_pseudo_inertia(ConeBlock& block, int first, double sign) {
  const auto map = pseudo_inertia_map();
  for (int k = 0; k < core::kNumParameters; ++k)
    block.columns.emplace_back(first + k, sign * map.col(k));
}

ConeBlock body_block(const ParameterLayout& layout, const Prior& prior, int body, double margin) {
  ConeBlock block{"physical " + layout.bodies[body],
                  body,
                  upper_factor(prior.references[body]),
                  {},
                  {},
                  ConeKind::psd4};
  add_pseudo_inertia(block, layout.index(body, core::kMass), 1);
  block.offset = -margin * svec<4>(pseudo_inertia(prior.references[body]));
  return block;
}

ConeBlock semi_block(const ParameterLayout& layout, const Prior& prior, int body, double margin) {
  const Matrix6d reference = spatial_inertia(prior.references[body]);
  ConeBlock block{"semi-physical " + layout.bodies[body],
                  -1,
                  reference.llt().matrixL(),
                  {},
                  {},
                  ConeKind::psd6};
  for (int k = 0; k < core::kNumParameters; ++k) {
    block.columns.emplace_back(layout.index(body, core::kMass) + k,
                               svec<6>(spatial_inertia(BodyParameters::Unit(k))));
  }
  block.offset = -margin * svec<6>(reference);
  return block;
}

// |tail| <= head
ConeBlock second_order_block(const SecondOrderConstraint& constraint) {
  const auto size = static_cast<Eigen::Index>(constraint.tail.size()) + 1;
  ConeBlock block{constraint.name, -1, {}, {}, Eigen::VectorXd::Zero(size), ConeKind::second_order};
  for (Eigen::Index row = 0; row < size; ++row) {
    const AffineForm& form =
        row == 0 ? constraint.head : constraint.tail[static_cast<std::size_t>(row - 1)];
    block.offset[row] = form.constant;
    for (const auto& [index, coefficient] : form.terms)
      block.columns.emplace_back(index, coefficient * Eigen::VectorXd::Unit(size, row));
  }
  return block;
}

// |L^-1 (h - m xs)| <= m, L L' = Qs ([Wensing 2018] Eq. 22)
SecondOrderConstraint in_ellipsoid(const ParameterLayout& layout, const ComEllipsoid& ellipsoid) {
  const int mass = layout.index(ellipsoid.body, core::kMass);
  const Eigen::Matrix3d lower = ellipsoid.shape.llt().matrixL();
  const Eigen::Matrix3d inverse = lower.inverse();
  const Eigen::Vector3d center = inverse * ellipsoid.center;
  SecondOrderConstraint cone{
      "center of mass of " + layout.bodies[ellipsoid.body] + " in its ellipsoid",
      {{{mass, 1.0}}, 0},
      {}};
  for (int row = 0; row < 3; ++row) {
    AffineForm form{{{mass, -center[row]}}, 0};
    for (int axis = 0; axis <= row; ++axis)
      form.terms.emplace_back(core::kNumParameters * ellipsoid.body + core::kMcx + axis,
                              inverse(row, axis));
    cone.tail.push_back(form);
  }
  return cone;
}

// tr(J Q) >= 0 where J is the sum of the pseudo-inertias that begin at `firsts`, with signs
ConeBlock ellipsoid_row(std::string name, const std::vector<std::pair<int, double>>& firsts,
                        const Eigen::Matrix4d& E) {
  ConeBlock row{std::move(name), -1, {}, {}, Eigen::VectorXd::Zero(1)};
  const Eigen::Matrix<double, 10, 1> coefficients = pseudo_inertia_map().transpose() * svec<4>(E);
  for (const auto& [first, sign] : firsts) {
    for (int k = 0; k < core::kNumParameters; ++k) {
      row.columns.emplace_back(first + k, Eigen::VectorXd::Constant(1, sign * coefficients[k]));
    }
  }
  return row;
}

// The union of ellipsoids: J = J_0 + J_1 + .., the parts after the first lifted, each inside its
// ellipsoid.
void add_volume(const ParameterLayout& layout, const Prior& prior, const BoundingVolume& volume,
                int first_lifted, Assembler& assembler) {
  const int count = static_cast<int>(volume.ellipsoids.size());
  const std::string body_name = layout.bodies[volume.body];
  std::vector<std::pair<int, double>> remainder = {{layout.index(volume.body, core::kMass), 1.0}};
  for (int part = 1; part < count; ++part)
    remainder.emplace_back(first_lifted + core::kNumParameters * (part - 1), -1.0);

  for (int part = 0; part < count; ++part) {
    const std::string suffix = count == 1 ? "" : ", part " + std::to_string(part + 1);
    const auto firsts =
        part == 0 ? remainder : std::vector<std::pair<int, double>>{{remainder[part].first, 1.0}};
    assembler.add(
        ellipsoid_row("ellipsoid of " + body_name + suffix, firsts, volume.ellipsoids[part]));
    if (count == 1) continue;
    ConeBlock block{"physical " + body_name + suffix,
                    -1,
                    upper_factor(prior.references[volume.body]),
                    {},
                    Svec<4>::Zero(),
                    ConeKind::psd4};
    for (const auto& [first, sign] : firsts) add_pseudo_inertia(block, first, sign);
    assembler.add(std::move(block));
  }
}

struct Equalities {
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> values;
  std::vector<std::string> names;

  void add(std::string name, const std::vector<std::pair<int, double>>& terms, double value) {
    for (const auto& [index, coefficient] : terms) {
      entries.emplace_back(static_cast<int>(values.size()), index, coefficient);
    }
    values.push_back(value);
    names.push_back(std::move(name));
  }
};

void add_linear(const LinearConstraint& constraint, Assembler& assembler, Equalities& equalities) {
  if (constraint.lower == constraint.upper) {
    equalities.add(constraint.name, constraint.terms, constraint.lower);
    return;
  }
  for (const double sign : {1.0, -1.0}) {
    const double bound = sign > 0 ? constraint.lower : constraint.upper;
    if (std::isinf(bound)) continue;
    // a bound of zero is omitted: the constraint's name implies it (com_box, signs of columns)
    const std::string side = bound == 0 ? "" : (sign > 0 ? " >= " : " <= ") + number_text(bound);
    ConeBlock row{constraint.name + side, -1, {}, {}, Eigen::VectorXd::Constant(1, -sign * bound)};
    for (const auto& [index, coefficient] : constraint.terms) {
      row.columns.emplace_back(index, Eigen::VectorXd::Constant(1, sign * coefficient));
    }
    assembler.add(std::move(row));
  }
}

Result<Done> check(const ParameterLayout& layout, const SecondOrderConstraint& cone) {
  const std::string where = "constraint '" + cone.name + "'";
  if (cone.tail.empty())
    return Error{where, "is a second-order cone of one number", "give a linear constraint instead"};
  const auto check_form = [&](const AffineForm& form) -> Result<Done> {
    bool finite = std::isfinite(form.constant);
    for (const auto& [index, coefficient] : form.terms) {
      if (index < 0 || index >= layout.num_parameters())
        return Error{where, "names parameter " + std::to_string(index) + ", which does not exist",
                     "give an index from 0 to " + std::to_string(layout.num_parameters() - 1)};
      finite = finite && std::isfinite(coefficient);
    }
    if (!finite) return Error{where, "has coefficients that are not numbers", "give finite ones"};
    return Done{};
  };
  HEFT_CHECK(check_form(cone.head));
  for (const AffineForm& form : cone.tail) HEFT_CHECK(check_form(form));
  return Done{};
}

Result<Done> check(const ParameterLayout& layout, const Prior& prior,
                   const Constraints& constraints) {
  const auto known_body = [&](int body) { return body >= 0 && body < layout.num_bodies(); };
  if (!(constraints.margin >= 0) || !(constraints.margin < 1)) {
    return Error{"constraints.margin", "must be at least 0 and below 1", "1e-6 is a good choice"};
  }
  for (const auto& row : constraints.linear) {
    bool finite = !std::isnan(row.lower) && !std::isnan(row.upper) && row.lower < INFINITY &&
                  row.upper > -INFINITY;
    for (const auto& [index, coefficient] : row.terms) {
      if (index < 0 || index >= layout.num_parameters()) {
        return Error{"constraint '" + row.name + "'",
                     "names parameter " + std::to_string(index) + ", which does not exist",
                     "give an index from 0 to " + std::to_string(layout.num_parameters() - 1)};
      }
      finite = finite && std::isfinite(coefficient);
    }
    if (!finite)
      return Error{"constraint '" + row.name + "'",
                   "has bounds or coefficients that are not numbers",
                   "give finite coefficients, and bounds that are not NaN"};
    if (row.lower > row.upper) {
      return Error{"constraint '" + row.name + "'", "its lower bound is above its upper bound",
                   "swap them"};
    }
  }
  for (const auto& cone : constraints.second_order) HEFT_CHECK(check(layout, cone));
  for (const auto& volume : constraints.volumes) {
    if (!known_body(volume.body))
      return Error{"bounding volume", "names a body that does not exist",
                   "name a body of the robot"};
    const std::string where = "bounding volume of " + layout.bodies[volume.body];
    if (prior.held[volume.body])
      return Error{where, "the body is held at its reference", "drop the volume"};
    if (volume.ellipsoids.empty()) return Error{where, "has no ellipsoid", "give it one or more"};
    for (const auto& E : volume.ellipsoids) {
      if (!E.allFinite() || !E.isApprox(E.transpose(), 1e-9))
        return Error{where, "the ellipsoid matrix is not finite or not symmetric",
                     "use ellipsoid_matrix"};
    }
  }
  for (const auto& ellipsoid : constraints.com_ellipsoids) {
    if (!known_body(ellipsoid.body))
      return Error{"center of mass ellipsoid", "names a body that does not exist",
                   "name a body of the robot"};
    if (!ellipsoid.center.allFinite() || !ellipsoid.shape.allFinite() ||
        Eigen::LLT<Eigen::Matrix3d>(ellipsoid.shape).info() != Eigen::Success) {
      return Error{"center of mass ellipsoid of " + layout.bodies[ellipsoid.body],
                   "the shape is not positive definite", "give a matrix with positive eigenvalues"};
    }
  }
  return Done{};
}

}  // namespace

Eigen::Matrix4d upper_factor(const BodyParameters& reference) {
  const Eigen::Matrix4d J = pseudo_inertia(reference);
  Eigen::Matrix4d U = Eigen::Matrix4d::Zero();
  U(3, 3) = std::sqrt(J(3, 3));
  U.topRightCorner<3, 1>() = J.topRightCorner<3, 1>() / U(3, 3);
  const Eigen::Matrix3d covariance =
      J.topLeftCorner<3, 3>() - U.topRightCorner<3, 1>() * U.topRightCorner<3, 1>().transpose();
  U.topLeftCorner<3, 3>() = covariance.llt().matrixL();
  return U;
}

Eigen::Matrix<double, 10, 10> pseudo_inertia_map() {
  Eigen::Matrix<double, 10, 10> map;
  for (int k = 0; k < core::kNumParameters; ++k)
    map.col(k) = svec<4>(pseudo_inertia(BodyParameters::Unit(k)));
  return map;
}

Result<ConicForm> make_conic_form(const ParameterLayout& layout, const NormalEquations& equations,
                                  const Prior& prior, const Constraints& constraints) {
  HEFT_CHECK(check(layout, prior, constraints));
  ConicForm form;
  form.num_parameters = layout.num_parameters();
  for (const auto& volume : constraints.volumes) {
    for (std::size_t part = 1; part < volume.ellipsoids.size(); ++part)
      form.lifted_body.push_back(volume.body);
  }
  form.num_lifted = static_cast<int>(form.lifted_body.size());

  Assembler assembler;
  Equalities equalities;
  // a log-det prior keeps bodies inside the cone by itself
  const double margin = prior_term(prior.kind).has_barrier() ? 0 : constraints.margin;
  for (int body = 0; body < layout.num_bodies(); ++body) {
    if (prior.held[body]) {
      for (int k = 0; k < core::kNumParameters; ++k) {
        equalities.add(layout.bodies[body] + "." + core::kParameterNames[k] + " held",
                       {{core::kNumParameters * body + k, 1.0}}, prior.references[body][k]);
      }
    } else if (constraints.consistency == Consistency::full) {
      assembler.add(body_block(layout, prior, body, margin));
    } else if (constraints.consistency == Consistency::semi) {
      assembler.add(semi_block(layout, prior, body, margin));
    }
  }
  int first_lifted = form.num_parameters;
  for (const auto& volume : constraints.volumes) {
    add_volume(layout, prior, volume, first_lifted, assembler);
    first_lifted += core::kNumParameters * (static_cast<int>(volume.ellipsoids.size()) - 1);
  }
  for (const auto& ellipsoid : constraints.com_ellipsoids) {
    assembler.add(second_order_block(in_ellipsoid(layout, ellipsoid)));
  }
  for (const auto& cone : constraints.second_order) assembler.add(second_order_block(cone));
  for (int column = 0; column < layout.num_columns(); ++column) {
    const int index = layout.column_index(column);
    if (!(equations.G(index, index) > 0)) {
      equalities.add(layout.columns[column].name + " held at zero: the data do not depend on it",
                     {{index, 1.0}}, 0);
    } else if (constraints.nonnegative_columns && layout.columns[column].nonnegative) {
      add_linear({layout.columns[column].name + " >= 0", {{index, 1.0}}, 0, INFINITY}, assembler,
                 equalities);
    }
  }
  for (const auto& row : constraints.linear) add_linear(row, assembler, equalities);

  assembler.write(form);
  const int num_equalities = static_cast<int>(equalities.values.size());
  form.E.resize(num_equalities, form.size());
  form.E.setFromTriplets(equalities.entries.begin(), equalities.entries.end());
  form.e = Eigen::Map<Eigen::VectorXd>(equalities.values.data(), num_equalities);
  form.equality_names = std::move(equalities.names);
  return form;
}

}  // namespace heft::solver
