#include "cone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heft/core/psd_block.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "svec.hpp"

namespace heft {

int ConeShape::rows_begin() const {
  return std::accumulate(second_order.begin(), second_order.end(), second_order_begin());
}

ConeKind ConeShape::block_kind(int block) const {
  return block < num_psd4               ? ConeKind::psd4
         : block < first_second_order() ? ConeKind::psd6
         : block < first_row()          ? ConeKind::second_order
                                        : ConeKind::row;
}

int ConeShape::block_begin(int block) const {
  switch (block_kind(block)) {
    case ConeKind::psd4:
      return kSize4 * block;
    case ConeKind::psd6:
      return psd6_begin() + kSize6 * (block - num_psd4);
    case ConeKind::second_order:
      return std::accumulate(second_order.begin(),
                             second_order.begin() + (block - first_second_order()),
                             second_order_begin());
    case ConeKind::row:
      break;
  }
  return rows_begin() + block - first_row();
}

int ConeShape::block_size(int block) const {
  switch (block_kind(block)) {
    case ConeKind::psd4:
      return kSize4;
    case ConeKind::psd6:
      return kSize6;
    case ConeKind::second_order:
      return second_order[static_cast<std::size_t>(block - first_second_order())];
    case ConeKind::row:
      break;
  }
  return 1;
}

}  // namespace heft

namespace heft::solver {

namespace {

template <int n>
double least_eigenvalue_of(const double* v) {
  const Symmetric<n> M = smat<n>(v);
  if (!M.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  return SymmetricEigen<n>(M, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

template <int n>
double log_det_of(const double* v) {
  const Eigen::LLT<Symmetric<n>> factor(smat<n>(v));
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
  return 2 * factor.matrixLLT().diagonal().array().log().sum();
}

double tail_length(const double* v, int size) {
  return Eigen::Map<const Eigen::VectorXd>(v + 1, size - 1).norm();
}

// Prox of - t log det of one block, V diag(d) V' -> V diag(f(d)) V' with f(d) = (d + sqrt(d^2 + 4
// t)) / 2; t = 0 gives the nearest matrix of the cone (FORMULAS 3).
template <int n>
void prox_block(const double* in, double t, double* out) {
  const core::Square<n, double> M = core::matrix_of<n>(in);
  core::Square<n, double> L;
  // a block inside the cone is its own projection, to the bit
  if (t == 0 && core::cholesky(M, L) > 0) {
    std::copy_n(in, kSvecSize<n>, out);
    return;
  }
  const core::SymmetricEigen<n, double> eigen(M);
  double d[n];
  for (int i = 0; i < n; ++i) {
    const double e = eigen.e[i], root = std::sqrt(e * e + 4 * t);
    // the second form does not cancel for e < 0; NaN stays NaN
    d[i] = e < 0 ? (t == 0 ? 0.0 : 2 * t / (root - e)) : 0.5 * (e + root);
  }
  eigen.compose(d, out);
}

// (t + |u|) / 2 in both where |u| is between -t and t, else the point itself or zero.
void project_second_order(const double* in, int size, double* out) {
  const double length = tail_length(in, size);
  if (length <= in[0]) {
    std::copy_n(in, size, out);
  } else if (length <= -in[0]) {
    std::fill_n(out, size, 0.0);
  } else {
    out[0] = 0.5 * (in[0] + length);
    for (int k = 1; k < size; ++k) out[k] = out[0] / length * in[k];
  }
}

}  // namespace

void prox(const ConeShape& cone, const Eigen::VectorXd& v, const Eigen::VectorXd& t,
          Eigen::VectorXd& out) {
  for (int block = 0; block < cone.num_psd4; ++block) {
    const int begin = cone.block_begin(block);
    prox_block<4>(v.data() + begin, t[block], out.data() + begin);
  }
  for (int block = cone.num_psd4; block < cone.num_psd4 + cone.num_psd6; ++block) {
    const int begin = cone.block_begin(block);
    prox_block<6>(v.data() + begin, 0, out.data() + begin);
  }
  for (int block = cone.first_second_order(); block < cone.first_row(); ++block) {
    const int begin = cone.block_begin(block);
    project_second_order(v.data() + begin, cone.block_size(block), out.data() + begin);
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
  for (int block = cone.first_second_order(); block < cone.first_row(); ++block)
    unit.segment(cone.block_begin(block) + 1, cone.block_size(block) - 1).setZero();
  return unit;
}

double least_eigenvalue(const ConeShape& cone, int block, const Eigen::VectorXd& v) {
  const double* data = v.data() + cone.block_begin(block);
  switch (cone.block_kind(block)) {
    case ConeKind::psd4:
      return least_eigenvalue_of<4>(data);
    case ConeKind::psd6:
      return least_eigenvalue_of<6>(data);
    case ConeKind::second_order:
      return data[0] - tail_length(data, cone.block_size(block));
    case ConeKind::row:
      break;
  }
  return *data;
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
  return cone.block_kind(block) == ConeKind::psd4 ? log_det_of<4>(data) : log_det_of<6>(data);
}

}  // namespace heft::solver
