// The code of what linalg/compiled_once/qr.inc names.
#include <Eigen/QR>

#define HEFT_COMPILED_ONCE template
#include "linalg/compiled_once/qr.inc"
