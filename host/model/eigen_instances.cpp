// the one place where these are compiled
#define HEFT_INSTANCE template
#include "eigen_instances.hpp"
