// Member functions of Observability.
#include <fmt/format.h>

#include <cmath>

#include "heft/observe/observe.hpp"

namespace heft {

std::vector<int> Observability::base_parameters() const {
  std::vector<int> base;
  for (const Combination& combination : identifiable) base.push_back(combination.front().parameter);
  return base;
}

Eigen::MatrixXd Observability::base_matrix() const {
  Eigen::MatrixXd R =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(identifiable.size()), num_parameters());
  for (Eigen::Index i = 0; i < R.rows(); ++i)
    for (const Term& term : identifiable[i]) R(i, term.parameter) = term.coefficient;
  return R;
}

Eigen::MatrixXd Observability::null_matrix() const {
  Eigen::MatrixXd Z =
      Eigen::MatrixXd::Zero(num_parameters(), static_cast<Eigen::Index>(null_basis.size()));
  for (Eigen::Index i = 0; i < Z.cols(); ++i)
    for (const Term& term : null_basis[i]) Z(term.parameter, i) = term.coefficient;
  return Z;
}

std::string Observability::text(const Combination& combination) const {
  std::string text;
  for (const Term& term : combination) {
    const bool negative = term.coefficient < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    const double magnitude = std::abs(term.coefficient);
    if (magnitude != 1) text += fmt::format("{:.6g} ", magnitude);
    text += parameters[term.parameter].label;
  }
  return text.empty() ? "0" : text;
}

}  // namespace heft
