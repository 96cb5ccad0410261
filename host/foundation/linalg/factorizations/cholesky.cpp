// Instantiates the templates declared in linalg/compiled_once/cholesky.inc.
#include <Eigen/Cholesky>

#define HEFT_COMPILED_ONCE template
#include "linalg/compiled_once/cholesky.inc"
