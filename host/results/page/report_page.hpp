// The report without its data, put together by the build (heft_page_skeleton).
#pragma once

namespace heft {

/// Holds the mark {{data}} once.
extern const char* const kReportPage;

}  // namespace heft
