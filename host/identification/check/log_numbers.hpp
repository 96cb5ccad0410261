// The first rows of a log as numbers, whatever its columns hold.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/log/log.hpp"
#include "heft/model/robot.hpp"

namespace heft::check {

struct Numbers {
  std::vector<std::string> names;
  bool header = true;
  std::string time;              ///< the column that is read as time: stamps may be texts
  Eigen::ArrayXXd values;        ///< rows x names; nan where a column holds texts
  std::vector<char> is_numbers;  ///< per column
};

/// Reads at most 20 000 rows. Columns of texts are left out one by one; the first may be the time.
/// Error: the file cannot be read, or more than 32 columns hold texts.
Result<Numbers> read_numbers_of_log(const std::string& path, LogFormat format, const Robot& robot);

}  // namespace heft::check
