#include "files/csv_name.hpp"

#include "files/csv_table.hpp"

namespace heft {

std::string csv_name(const std::string& name) {
  return name.find_first_of(",;\t \"") == std::string::npos ? name : csv_quoted(name);
}

}  // namespace heft
