#include "force_and_motion.hpp"

#include "linalg/factorizations.hpp"
#include "sums/sums.hpp"

namespace heft::payload {

Centered centered(const WrenchSamples& samples, BiasKind bias) {
  Centered result{samples.motion.leftCols(3), samples.wrench.leftCols(3),
                  samples.wrench.rightCols(3)};
  for (Eigen::ArrayXXd* columns : {&result.u, &result.force, &result.torque})
    remove_offsets(samples, bias, *columns);
  return result;
}

double mass_of(const Centered& about) {
  const double power = about.u.square().sum();
  return power > 0 ? (about.u * about.force).sum() / power : 0;
}

LinearMap map_of(const Eigen::ArrayXXd& u, const Eigen::ArrayXXd& f) {
  LinearMap map;
  const Eigen::Matrix3d gram = u.matrix().transpose() * u.matrix();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(gram);
  const double power = f.square().sum();
  map.known =
      u.rows() >= 6 && svd.singularValues()[2] > 1e-4 * svd.singularValues()[0] && power > 0;
  if (!map.known) return map;
  map.A = gram.ldlt().solve(Eigen::Matrix3d(u.matrix().transpose() * f.matrix())).transpose();
  map.left = (f - (u.matrix() * map.A.transpose()).array()).square().sum() / power;
  return map;
}

Turned turned(const LinearMap& map, const Eigen::ArrayXXd& u, const Eigen::ArrayXXd& f) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(map.A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Turned result{svd.matrixU() * svd.matrixV().transpose(), svd.singularValues().mean(), 1};
  if (result.R.determinant() < 0) result.R = -result.R, result.mass = -result.mass;
  const Eigen::ArrayXXd rest = f - (result.mass * (u.matrix() * result.R.transpose())).array();
  result.left = rest.square().sum() / f.square().sum();
  return result;
}

}  // namespace heft::payload
