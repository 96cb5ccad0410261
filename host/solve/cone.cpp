#include "cone.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "svec.hpp"
#include "symmetric_eigen.hpp"

namespace heft {

int ConeShape::block_begin(int block) const {
  if (block < num_psd4) return kSize4 * block;
  if (block < num_psd4 + num_psd6) return psd6_begin() + kSize6 * (block - num_psd4);
  return rows_begin() + block - num_psd4 - num_psd6;
}

int ConeShape::block_size(int block) const {
  return block < num_psd4 ? kSize4 : block < num_psd4 + num_psd6 ? kSize6 : 1;
}

}  // namespace heft

namespace heft::solver {

namespace {

template <int n>
double least_eigenvalue_of(const double* v) {
  const Symmetric<n> M = smat<n>(v);
  if (!M.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  return Eigen::SelfAdjointEigenSolver<Symmetric<n>>(M, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

template <int n>
double log_det_of(const double* v) {
  const Eigen::LLT<Symmetric<n>> factor(smat<n>(v));
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
  return 2 * factor.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

void prox(const ConeShape& cone, const Eigen::VectorXd& v, const Eigen::VectorXd& t, Eigen::VectorXd& out) {
  prox_blocks4(v.data(), t.data(), cone.num_psd4, out.data());
  for (int block = 0; block < cone.num_psd6; ++block) {
    const int begin = cone.psd6_begin() + ConeShape::kSize6 * block;
    const Eigen::SelfAdjointEigenSolver<Symmetric<6>> eigen(smat<6>(v.data() + begin));
    const Eigen::Matrix<double, 6, 1> d = eigen.eigenvalues().cwiseMax(0);
    out.segment<ConeShape::kSize6>(begin) =
        svec<6>(Symmetric<6>(eigen.eigenvectors() * d.asDiagonal() * eigen.eigenvectors().transpose()));
  }
  out.tail(cone.num_rows) = v.tail(cone.num_rows).cwiseMax(0);
}

Eigen::VectorXd cone_unit(const ConeShape& cone) {
  Eigen::VectorXd unit = Eigen::VectorXd::Ones(cone.size());
  for (int block = 0; block < cone.num_psd4; ++block) {
    unit.segment<10>(cone.block_begin(block)) = svec<4>(Symmetric<4>::Identity());
  }
  for (int block = cone.num_psd4; block < cone.num_psd4 + cone.num_psd6; ++block) {
    unit.segment<21>(cone.block_begin(block)) = svec<6>(Symmetric<6>::Identity());
  }
  return unit;
}

double least_eigenvalue(const ConeShape& cone, int block, const Eigen::VectorXd& v) {
  const double* data = v.data() + cone.block_begin(block);
  switch (cone.block_size(block)) {
    case ConeShape::kSize4:
      return least_eigenvalue_of<4>(data);
    case ConeShape::kSize6:
      return least_eigenvalue_of<6>(data);
    default:
      return *data;
  }
}

double least_eigenvalue(const ConeShape& cone, const Eigen::VectorXd& v) {
  double least = std::numeric_limits<double>::infinity();
  for (int block = 0; block < cone.num_blocks(); ++block) {
    const double value = least_eigenvalue(cone, block, v);
    if (!(value >= least)) least = value;
    if (std::isnan(least)) break;
  }
  return least;
}

double log_det(const ConeShape& cone, int block, const Eigen::VectorXd& v) {
  const double* data = v.data() + cone.block_begin(block);
  return cone.block_size(block) == ConeShape::kSize4 ? log_det_of<4>(data) : log_det_of<6>(data);
}

}  // namespace heft::solver
