// The page without its data: page.html with its script put in. The build makes its text (embed.cmake).
#pragma once

namespace heft::excite {

/// Holds the mark {{data}} once.
extern const char* const kDesignPage;

}  // namespace heft::excite
