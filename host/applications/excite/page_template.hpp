// Template of the page without its data, assembled by the build (heft_page_skeleton).
#pragma once

namespace heft::excite {

/// Contains the placeholder {{data}} once.
extern const char* const kDesignPage;

}  // namespace heft::excite
