#include "files/csv_name.hpp"

namespace heft {

std::string csv_name(const std::string& name) {
  if (name.find_first_of(",;\t \"") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace heft
