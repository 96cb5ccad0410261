// Self-contained pages in a single file. The build combines their style sheet and scripts
// (page_skeleton.cmake); a program adds the data.
#pragma once

#include <string>
#include <string_view>

namespace heft {

#pragma GCC visibility push(default)

/// Returns a page with its data. `skeleton` contains the placeholder {{data}} once, within a script
/// element; `json` may contain any text. Threads: stateless; safe to call from several threads.
std::string filled_page(std::string_view skeleton, std::string_view json);

#pragma GCC visibility pop

}  // namespace heft
