// Work whose result is the count of expensive operations in kernels: unnecessary ones change no
// sum, and are visible only here. The necessary number follows from the tile map
// (kernels/moments/gram_tiles.hpp). For the checked build, which counts.
#pragma once

#include "tests/device_on_host/robotic_work.hpp"

namespace heft::testing {

/// Products of tiles (in fp32 what is loaded for them) and stores and loads of sums, for chunks of
/// `chunk` samples of all.
DeviceTask counted_sums(std::string name, RoboticPtr robotic, const AccumulateOptions& options,
                        int chunk);
/// The same of given rows.
DeviceTask counted_sums_of_rows(std::string name, RoboticPtr robotic, int chunk);

/// Barriers that a motion costs more than samples do: one a slab.
DeviceTask counted_barriers(std::string name, RoboticPtr robotic, core::Precision precision,
                            int chunk);

}  // namespace heft::testing
