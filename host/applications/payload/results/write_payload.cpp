// Writes the files of a payload, all or none.
#include <filesystem>

#include "controller_files.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace fs = std::filesystem;

Result<std::vector<std::string>> write_payload(const PayloadResult& result,
                                               const std::string& directory) {
  HEFT_CHECK(make_folder(directory));
  const auto path = [&](const char* name) { return (fs::path(directory) / name).string(); };
  std::vector<FileText> texts = {{path("result.json"), payload_json(result)},
                                 {path("report.html"), payload_page(result)}};
  const bool has_body = payload::why_no_body_files(result).empty();
  if (has_body) {
    HEFT_TRY(points, payload::points_text(result));
    const std::string of_body[] = {payload::urdf_text(result), payload::franka_text(result),
                                   payload::universal_robots_text(result),
                                   payload::ros2_text(result), points};
    for (std::size_t k = 0; k < std::size(payload::kBodyFiles); ++k)
      texts.push_back({path(payload::kBodyFiles[k]), of_body[k]});
  }
  if (result.options.is_calibration) {
    HEFT_TRY(zero, payload::zero_text(result));
    texts.push_back({path("zero.yaml"), zero});
  }
  HEFT_CHECK(write_files_whole(texts));
  std::error_code ignored;
  // remove those of an earlier result
  if (!has_body)
    for (const char* name : payload::kBodyFiles) fs::remove(path(name), ignored);
  std::vector<std::string> paths;
  for (const FileText& text : texts) paths.push_back(text.path);
  return paths;
}

}  // namespace heft
