#include "motion_moments.hpp"

#include <array>
#include <vector>

#include "rows.hpp"

namespace heft::payload {

namespace {

/// One product of a motion's number and a constant in a row of Y: parameter `column`, number
/// `motion`, times `factor`.
struct Term {
  int column, motion;
  double factor;
};

/// Terms of the six rows of Y, read off rows_of at the units of motion.
struct RowTerms {
  std::array<std::vector<Term>, 6> of;

  RowTerms() {
    for (int motion = 0; motion < WrenchSamples::kNumMotion; ++motion) {
      Eigen::Matrix<double, WrenchSamples::kNumMotion, 1> unit;
      unit.setZero();
      unit[motion] = 1;
      const Rows Y = rows_of(unit);
      for (int row = 0; row < 6; ++row)
        for (int column = 0; column < core::kNumParameters; ++column)
          if (Y(row, column) != 0)
            of[static_cast<std::size_t>(row)].push_back({column, motion, Y(row, column)});
    }
  }
};

const std::array<std::vector<Term>, 6>& row_terms() {
  static const RowTerms terms;
  return terms.of;
}

}  // namespace

void add_moments(const MotionMoments& moments, Sums& sums) {
  constexpr int kWrench = WrenchSamples::kNumMotion;
  const MotionMoments::Matrix& M = moments.products;
  for (std::size_t c = 0; c < 6; ++c) {
    const int wrench = kWrench + static_cast<int>(c);
    for (const Term& a : row_terms()[c]) {
      for (const Term& b : row_terms()[c])
        sums.G[c](a.column, b.column) += a.factor * b.factor * M(a.motion, b.motion);
      sums.b[c][a.column] += a.factor * M(a.motion, wrench);
    }
    sums.wrench2[static_cast<Eigen::Index>(c)] += M(wrench, wrench);
  }
  for (int axis = 0; axis < 3; ++axis) {
    sums.force_dot_u += M(axis, kWrench + axis);
    sums.u_dot_u += M(axis, axis);
  }
  sums.num_samples += moments.count;
}

double regressor_norm2(const MotionMoments& moments) {
  double sum = 0;
  for (const std::vector<Term>& row : row_terms())
    for (const Term& a : row)
      for (const Term& b : row)
        if (a.column == b.column) sum += a.factor * b.factor * moments.products(a.motion, b.motion);
  return sum;
}

}  // namespace heft::payload
