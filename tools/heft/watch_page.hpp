// The page of heft watch without its data; CMake makes its text.
#pragma once

namespace heft::tools {

extern const char* const kWatchPage;

}  // namespace heft::tools
