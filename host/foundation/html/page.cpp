#include "html/page.hpp"

namespace heft {

std::string filled_page(std::string_view skeleton, std::string_view json) {
  constexpr std::string_view kMark = "{{data}}";
  const std::size_t place = skeleton.find(kMark);
  std::string page;
  page.reserve(skeleton.size() + json.size());
  page += skeleton.substr(0, place);
  // in a script element "</script>" would end it; "<" occurs in JSON only within strings
  for (const char c : json) {
    if (c == '<')
      page += "\\u003c";
    else
      page += c;
  }
  page += skeleton.substr(place + kMark.size());
  return page;
}

}  // namespace heft
