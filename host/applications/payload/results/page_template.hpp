// The page without its data, put together by the build (heft_page_skeleton).
#pragma once

namespace heft::payload {

/// Holds the mark {{data}} once.
extern const char* const kPayloadPage;

}  // namespace heft::payload
