// The code of what linalg/compiled_once/eigenvalues.inc names.
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#define HEFT_COMPILED_ONCE template
#include "linalg/compiled_once/eigenvalues.inc"
