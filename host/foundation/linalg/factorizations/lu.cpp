// Instantiates the templates declared in linalg/compiled_once/lu.inc.
#include <Eigen/LU>

#define HEFT_COMPILED_ONCE template
#include "linalg/compiled_once/lu.inc"
