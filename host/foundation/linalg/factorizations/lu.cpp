// The code of what linalg/compiled_once/lu.inc names.
#include <Eigen/LU>

#define HEFT_COMPILED_ONCE template
#include "linalg/compiled_once/lu.inc"
