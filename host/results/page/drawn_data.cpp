#include "drawn_data.hpp"

#include <filesystem>

#include "files/json_text.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestPage = 32u << 20;
constexpr const char* kBegin = "<script type=\"application/json\" id=\"data\">";
constexpr const char* kEnd = "</script>";

/// The data of a page; discarded if there are none.
Json data_of(const std::string& page) {
  const std::size_t begin = page.find(kBegin);
  if (begin == std::string::npos) return Json(nlohmann::detail::value_t::discarded);
  const std::size_t first = begin + std::string(kBegin).size(), end = page.find(kEnd, first);
  if (end == std::string::npos) return Json(nlohmann::detail::value_t::discarded);
  return parse_json<Json>(page.substr(first, end - first));
}

}  // namespace

nlohmann::ordered_json drawn_beside(const std::string& result_path, const Json& result) {
  const std::string path =
      (std::filesystem::path(result_path).parent_path() / "report.html").string();
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return {};
  const auto page = read_file_whole(path, kLargestPage);
  if (!page) return {};
  Json data = data_of(*page);
  if (!data.is_object() || !data.contains("results") || !data["results"].is_array() ||
      data["results"].size() != 1 || data["results"][0] != result)
    return {};
  Json drawn = Json::object();
  for (const char* key : {"traces", "skeleton", "outlines"})
    if (data.contains(key) && data[key].is_object()) drawn[key] = std::move(data[key]);
  if (drawn.contains("traces") && drawn["traces"].contains("channels"))
    for (Json& channel : drawn["traces"]["channels"])
      for (const char* key : {"parts", "friction", "counts", "amplitude_density"})
        if (channel.is_object()) channel.erase(key);
  return drawn;
}

}  // namespace heft
