#include "clearance_term.hpp"

#include <algorithm>
#include <cmath>

namespace heft::excite {

namespace {

using Eigen::ArrayXXd;
using Eigen::VectorXd;

VectorXd posture_at(const ArrayXXd& position, int sample) {
  return position.row(sample).transpose().matrix();
}

}  // namespace

ClearanceTerm::ClearanceTerm(const SpherePairs& pairs, VectorXd wanted, int num_samples)
    : pairs_(pairs), wanted_(std::move(wanted)), num_samples_(num_samples), distances_(pairs) {}

ClearanceMultipliers ClearanceTerm::no_multipliers() const {
  ClearanceMultipliers none{Eigen::MatrixXd::Zero(pairs_.num_constraints(), num_samples_), {}};
  none.in_groups.setConstant(static_cast<Eigen::Index>(pairs_.groups().size()), num_samples_,
                             false);
  return none;
}

double ClearanceTerm::value(const ArrayXXd& position, const ClearanceMultipliers& m, double mu,
                            ArrayXXd* by_position) {
  const double weight = 200.0 / num_samples_;
  double sum = 0;
  VectorXd slope(position.cols());
  for (int s = 0; s < num_samples_; ++s) {
    distances_.set(posture_at(position, s));
    for (int g = 0; g < static_cast<int>(pairs_.groups().size()); ++g) {
      const SpherePairs::Group& group = pairs_.groups()[g];
      if (!m.in_groups(g, s) && distances_.least_of(group) >= wanted_[g]) continue;
      for (int c = group.begin; c < group.end; ++c) {
        const double l = m.values(c, s), active = std::max(0.0, l + mu * excess(group, g, c));
        sum += active * active - l * l;
        if (active > 0 && by_position != nullptr)
          distances_.add_slope(group, c, -weight * active / kLength);
      }
    }
    if (by_position == nullptr) continue;
    slope.setZero();
    distances_.add_gradient(slope);
    by_position->row(s) += slope.transpose().array();
  }
  return weight * sum / (2 * mu);
}

void ClearanceTerm::raise(const ArrayXXd& position, double mu, ClearanceMultipliers& m) {
  for (int s = 0; s < num_samples_; ++s) {
    distances_.set(posture_at(position, s));
    for (int g = 0; g < static_cast<int>(pairs_.groups().size()); ++g) {
      const SpherePairs::Group& group = pairs_.groups()[g];
      if (!m.in_groups(g, s) && distances_.least_of(group) >= wanted_[g]) continue;
      bool any = false;
      for (int c = group.begin; c < group.end; ++c) {
        m.values(c, s) = std::max(0.0, m.values(c, s) + mu * excess(group, g, c));
        any = any || m.values(c, s) > 0;
      }
      m.in_groups(g, s) = any;
    }
  }
}

double ClearanceTerm::worst(const ArrayXXd& position) {
  double worst = -HUGE_VAL;
  for (int s = 0; s < num_samples_; ++s) {
    distances_.set(posture_at(position, s));
    for (int g = 0; g < static_cast<int>(pairs_.groups().size()); ++g) {
      const SpherePairs::Group& group = pairs_.groups()[g];
      if (distances_.least_of(group) >= wanted_[g]) continue;
      for (int c = group.begin; c < group.end; ++c) worst = std::max(worst, excess(group, g, c));
    }
  }
  return worst;
}

}  // namespace heft::excite
