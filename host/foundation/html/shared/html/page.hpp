// Pages of one file that load nothing. Their style sheet and scripts are put together when Heft is
// built (page_skeleton.cmake); a program adds the data.
#pragma once

#include <string>
#include <string_view>

namespace heft {

#pragma GCC visibility push(default)

/// A page with its data. `skeleton` holds the mark {{data}} once, within a script element; `json`
/// may hold any text. Threads: any, at once.
std::string filled_page(std::string_view skeleton, std::string_view json);

#pragma GCC visibility pop

}  // namespace heft
