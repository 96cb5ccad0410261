#include "tests/device_on_host/block/launch.hpp"

#include <algorithm>
#include <numeric>

#include "tests/device_on_host/block/block.hpp"
#include "tests/device_on_host/block/profile.hpp"

namespace heft::device_on_host {

bool run(const Launch& launch, const Circumstances& circumstances) {
  if (circumstances.profile) circumstances.profile->begin_launch(launch);
  std::vector<std::uint32_t> places(launch.grid.count());
  std::iota(places.begin(), places.end(), 0);
  if (circumstances.order == ThreadOrder::descending) std::reverse(places.begin(), places.end());
  if (circumstances.order == ThreadOrder::random)
    std::shuffle(places.begin(), places.end(), *circumstances.random);
  Block block(launch, circumstances);
  for (const std::uint32_t k : places)
    if (!block.run({k % launch.grid.x, k / launch.grid.x % launch.grid.y,
                    k / (launch.grid.x * launch.grid.y)}))
      return false;
  return true;
}

}  // namespace heft::device_on_host
