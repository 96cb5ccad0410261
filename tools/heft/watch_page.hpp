// The page of heft watch without its data; CMake generates the text.
#pragma once

namespace heft::tools {

extern const char* const kWatchPage;

}  // namespace heft::tools
