#include "solve/body_scale.hpp"

#include "conic_form.hpp"
#include "svec.hpp"

namespace heft {

Eigen::Matrix<double, core::kNumParameters, core::kNumParameters> body_scale(
    const BodyParameters& reference) {
  const Eigen::Matrix4d U = solver::upper_factor(reference);
  Eigen::Matrix<double, core::kNumParameters, core::kNumParameters> B;
  for (int k = 0; k < core::kNumParameters; ++k) {
    const Eigen::Matrix4d unit = solver::smat<4>(solver::Svec<4>::Unit(k).eval().data());
    B.col(k) = body_parameters(U * unit * U.transpose());
  }
  return B;
}

}  // namespace heft
