// Template of the report page without its data, assembled by the build (heft_page_skeleton).
#pragma once

namespace heft {

/// Contains the placeholder {{data}} once.
extern const char* const kReportPage;

}  // namespace heft
