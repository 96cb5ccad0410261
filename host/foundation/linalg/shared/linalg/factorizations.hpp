// Eigen's factorizations: include this instead of <Eigen/Cholesky>, <Eigen/LU>, <Eigen/QR>,
// <Eigen/SVD> or <Eigen/Eigenvalues>. What takes compilers longest of them, of matrices that Heft
// factors in more files than one, is compiled once (factorizations/*.cpp), and every other file
// calls it. A matrix that is no plain one (a product, a block) is best made one first:
// LLT<MatrixXd>(MatrixXd(A + B)).
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
