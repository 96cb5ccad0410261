// Template of the page of a study without its data, assembled by the build (heft_page_skeleton).
#pragma once

namespace heft::excite {

/// Contains the placeholder {{data}} once.
extern const char* const kStudyPage;

}  // namespace heft::excite
