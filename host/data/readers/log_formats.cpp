#include <algorithm>
#include <sstream>
#include <string>

#include "readers/log_formats.hpp"

namespace heft {

std::vector<NamedFormat> log_formats(std::span<const FileFormat> formats) {
  std::vector<NamedFormat> named;
  for (const FileFormat& format : formats) {
    if (format.name.empty()) continue;
    NamedFormat& added = named.emplace_back(NamedFormat{format.name, format.title, {}});
    std::istringstream endings{std::string(format.endings)};
    for (std::string ending; endings >> ending;) added.endings.push_back(ending);
  }
  // text is tried last, although most logs are text
  if (!named.empty()) std::rotate(named.begin(), named.end() - 1, named.end());
  return named;
}

std::string titles_of_log_formats(std::span<const FileFormat> formats) {
  std::string titles;
  const std::vector<NamedFormat> named = log_formats(formats);
  for (std::size_t k = 0; k < named.size(); ++k) {
    if (k > 0) titles += k + 1 == named.size() ? " or " : ", ";
    titles += named[k].title;
  }
  return titles;
}

}  // namespace heft
