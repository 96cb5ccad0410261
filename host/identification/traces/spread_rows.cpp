#include "traces/spread_rows.hpp"

namespace heft {

void SpreadRows::halve() {
  for (std::size_t k = 0; 2 * k < kept_.size(); ++k) kept_[k] = kept_[2 * k];
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

}  // namespace heft
