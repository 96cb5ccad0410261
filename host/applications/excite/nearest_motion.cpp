#include "nearest_motion.hpp"

#include "linalg/factorizations.hpp"

namespace heft::excite {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

bool has_same_functions(const MotionShape& one, const MotionShape& other) {
  return one.kind == other.kind &&
         (one.is_spline() ? one.intervals == other.intervals : one.harmonics == other.harmonics);
}

}  // namespace

MatrixXd nearest_coefficients(const CoefficientMotion& motion, const MotionShape& shape) {
  if (has_same_functions(motion.shape, shape)) return motion.coefficients;
  const Index K = shape.num_coefficients(), instants = 8 * (K + motion.shape.num_coefficients());
  MatrixXd functions = MatrixXd::Zero(instants, K), path(instants, motion.num_coordinates());
  for (Index i = 0; i < instants; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(instants - 1);
    const BasisRow row = basis_row(shape, part * shape.duration, 0);
    for (std::size_t j = 0; j < row.values.size(); ++j)
      functions(i, row.first + static_cast<Index>(j)) = row.values[j];
    path.row(i) = motion.at(part * motion.shape.duration, 0).transpose();
  }
  return functions.colPivHouseholderQr().solve(path);
}

}  // namespace heft::excite
