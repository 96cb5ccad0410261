// Template of the page without its data, assembled by the build (heft_page_skeleton).
#pragma once

namespace heft::payload {

/// Contains the placeholder {{data}} once.
extern const char* const kPayloadPage;

}  // namespace heft::payload
