#include "heft/check.hpp"
namespace heft {
Result<CheckReport> check_log(const std::string&, const std::string& log_path, const Configuration&) {
  return Error{log_path, "logs are not checked yet", "check the robot file"};
}
}  // namespace heft
