// Eigen's factorizations: include this instead of <Eigen/Cholesky>, <Eigen/LU>, <Eigen/QR>,
// <Eigen/SVD> or <Eigen/Eigenvalues>. Those that are slow to compile, for matrix types that Heft
// factors in several files, are instantiated once (factorizations/*.cpp). Expressions such as
// products or blocks should be evaluated to a matrix first: LLT<MatrixXd>(MatrixXd(A + B)).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#define HEFT_COMPILED_ONCE extern template
#include "linalg/compiled_once/cholesky.inc"
#include "linalg/compiled_once/eigenvalues.inc"
#include "linalg/compiled_once/lu.inc"
#include "linalg/compiled_once/qr.inc"
#undef HEFT_COMPILED_ONCE
