// Instantiates the templates declared in linalg/compiled_once/qr.inc.
#include <Eigen/QR>

#define HEFT_COMPILED_ONCE template
#include "linalg/compiled_once/qr.inc"
