#include <Eigen/Core>

#include "tests/device_on_host/device_work.hpp"

namespace heft::testing {

bool DeviceTask::is_right(const Numbers& numbers) const {
  if (numbers.size() != expected.size()) return false;
  const auto map = [](const Numbers& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  return (map(numbers) - map(expected)).norm() <= tolerance * map(expected).norm();
}

}  // namespace heft::testing
