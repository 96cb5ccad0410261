#include "files/csv_name.hpp"

namespace heft {

std::string csv_name(const std::string& name) {
  return name.find_first_of(",;\t ") == std::string::npos ? name : '"' + name + '"';
}

}  // namespace heft
