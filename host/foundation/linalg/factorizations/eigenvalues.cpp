// Instantiates the templates declared in linalg/compiled_once/eigenvalues.inc.
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#define HEFT_COMPILED_ONCE template
#include "linalg/compiled_once/eigenvalues.inc"
