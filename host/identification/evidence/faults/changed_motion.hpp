// Stretches with a changed motion, including rows before a filter.
#pragma once

#include <memory>

#include "heft/model/samples.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

/// Applies `change(samples)` to a copy and to the motion from which its rows are computed.
template <class Change>
Samples with_motion(const Samples& stretch, const Change& change) {
  Samples changed = stretch;
  change(changed);
  if (changed.unfiltered) {
    UnfilteredMotion motion = *changed.unfiltered;
    change(motion.samples);
    changed.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
  }
  return changed;
}

}  // namespace heft
