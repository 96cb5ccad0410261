#include "traces/spread_rows.hpp"

namespace heft {

void SpreadRows::push(const Eigen::ArrayXXd& rows) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i, ++seen_) {
    if (seen_ % stride_ != 0) continue;
    if (static_cast<int>(kept_.size()) == max_rows_) {
      for (std::size_t k = 0; 2 * k < kept_.size(); ++k) kept_[k] = kept_[2 * k];
      kept_.resize((kept_.size() + 1) / 2);
      stride_ *= 2;
      if (seen_ % stride_ != 0) continue;
    }
    kept_.push_back(rows.row(i));
  }
}

}  // namespace heft
