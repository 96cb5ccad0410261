#include "tests/device_on_host/block/symbols.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <regex>

namespace heft::device_on_host {

std::string without_hash(const std::string& symbol) {
  static const std::regex hash("[0-9]+_GLOBAL__N__[0-9a-f]{8}_[0-9]+_(\\w+?)_cu_[0-9a-f]{8}");
  return std::regex_replace(symbol, hash, "$1");
}

std::string plain_name(const std::string& symbol) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  if (status != 0 || !demangled) return symbol;
  std::string name = demangled;
  std::free(demangled);
  int depth = 0;  // of the brackets of template arguments: the parameters begin outside of them
  std::size_t end = name.size(), begin = 0;
  for (std::size_t k = 0; k < name.size(); ++k) {
    if (name[k] == '<') ++depth;
    if (name[k] == '>') --depth;
    if (depth > 0) continue;
    if (name.compare(k, 21, "(anonymous namespace)") == 0) {
      k += 20;
      continue;
    }
    if (name[k] == '(') {
      end = k;
      break;
    }
    if (name[k] == ':' || name[k] == ' ') begin = k + 1;
  }
  return name.substr(begin, end - begin);
}

}  // namespace heft::device_on_host
