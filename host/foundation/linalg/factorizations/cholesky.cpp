// The code of what linalg/compiled_once/cholesky.inc names.
#include <Eigen/Cholesky>

#define HEFT_COMPILED_ONCE template
#include "linalg/compiled_once/cholesky.inc"
