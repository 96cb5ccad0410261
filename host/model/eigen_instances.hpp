// Eigen's factorizations and products of dense double matrices, declared here and compiled once, in eigen_instances.cpp,
// instead of in every source that uses them. Nothing includes this but the precompiled headers: without them all is as
// if it were not there, only slower to compile. Products' kernels are internals of Eigen 3.4; any other version compiles
// them where they are used.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#ifndef HEFT_INSTANCE
#define HEFT_INSTANCE extern template
#endif

namespace Eigen {

HEFT_INSTANCE void PartialPivLU<MatrixXd>::compute();
HEFT_INSTANCE void FullPivLU<MatrixXd>::computeInPlace();
HEFT_INSTANCE void HouseholderQR<MatrixXd>::computeInPlace();
HEFT_INSTANCE void ColPivHouseholderQR<MatrixXd>::computeInPlace();
HEFT_INSTANCE void CompleteOrthogonalDecomposition<MatrixXd>::computeInPlace();

HEFT_INSTANCE LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
HEFT_INSTANCE LLT<Matrix4d>& LLT<Matrix4d>::compute(const EigenBase<Matrix4d>&);
HEFT_INSTANCE LLT<Matrix3d>& LLT<Matrix3d>::compute(const EigenBase<Matrix3d>&);

HEFT_INSTANCE SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
HEFT_INSTANCE SelfAdjointEigenSolver<Matrix4d>& SelfAdjointEigenSolver<Matrix4d>::compute(
    const EigenBase<Matrix4d>&, int);
HEFT_INSTANCE SelfAdjointEigenSolver<Matrix3d>& SelfAdjointEigenSolver<Matrix3d>::compute(
    const EigenBase<Matrix3d>&, int);

#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)
namespace internal {

using DenseColumns = const_blas_data_mapper<double, Index, ColMajor>;
using DenseRows = const_blas_data_mapper<double, Index, RowMajor>;
using DenseBlocking = gebp_traits<double, double>;

// matrix times matrix: the loop over blocks, its kernel, and what packs blocks
HEFT_INSTANCE struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor, false,
                                                   ColMajor, 1>;
HEFT_INSTANCE struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false,
                                                   ColMajor, 1>;
HEFT_INSTANCE struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false,
                                                   ColMajor, 1>;
HEFT_INSTANCE struct general_matrix_matrix_product<Index, double, RowMajor, false, double, RowMajor, false,
                                                   ColMajor, 1>;
HEFT_INSTANCE struct gebp_kernel<double, double, Index,
                                 blas_data_mapper<double, Index, ColMajor, Unaligned, 1>, DenseBlocking::mr,
                                 DenseBlocking::nr, false, false>;
HEFT_INSTANCE struct gemm_pack_lhs<double, Index, DenseColumns, DenseBlocking::mr, DenseBlocking::LhsProgress,
                                   DenseBlocking::LhsPacket4Packing, ColMajor>;
HEFT_INSTANCE struct gemm_pack_lhs<double, Index, DenseRows, DenseBlocking::mr, DenseBlocking::LhsProgress,
                                   DenseBlocking::LhsPacket4Packing, RowMajor>;
HEFT_INSTANCE struct gemm_pack_rhs<double, Index, DenseColumns, DenseBlocking::nr, ColMajor>;
HEFT_INSTANCE struct gemm_pack_rhs<double, Index, DenseRows, DenseBlocking::nr, RowMajor>;

// matrix times vector
HEFT_INSTANCE struct general_matrix_vector_product<Index, double, DenseColumns, ColMajor, false, double,
                                                   DenseColumns, false>;
HEFT_INSTANCE struct general_matrix_vector_product<Index, double, DenseColumns, ColMajor, false, double,
                                                   DenseRows, false>;
HEFT_INSTANCE struct general_matrix_vector_product<Index, double, DenseRows, RowMajor, false, double,
                                                   DenseColumns, false>;
HEFT_INSTANCE struct general_matrix_vector_product<Index, double, DenseRows, RowMajor, false, double,
                                                   DenseRows, false>;

}  // namespace internal
#endif

}  // namespace Eigen
