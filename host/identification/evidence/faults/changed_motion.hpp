// Stretches whose motion is changed, of rows before a filter too.
#pragma once

#include <memory>

#include "heft/model/samples.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

/// `change(samples)` of a copy and of the motion that its rows come from.
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
