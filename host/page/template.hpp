// The page without its data: page.html with its style sheet and scripts put in. The build makes its text
// from the files beside this one (embed.cmake).
#pragma once

namespace heft {

/// Holds the mark {{data}} once.
extern const char* const kPageTemplate;

}  // namespace heft
