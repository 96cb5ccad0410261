// Units of what joints measure.
#pragma once

namespace heft {

/// Of the position of a joint that turns, or slides.
inline const char* position_unit(bool is_angle) {
  return is_angle ? "rad" : "m";
}

}  // namespace heft
