// The files of a payload, all of them or none.
#include <filesystem>

#include "controller_files.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace fs = std::filesystem;

Result<std::vector<std::string>> write_payload(const PayloadResult& result, const std::string& directory) {
  HEFT_CHECK(make_folder(directory));
  const auto path = [&](const char* name) { return (fs::path(directory) / name).string(); };
  std::vector<FileText> texts = {{path("result.json"), payload_json(result)},
                                 {path("report.html"), payload_page(result)}};
  static const char* const kOfPossible[] = {"payload.urdf", "payload_franka.json", "payload_ur.txt",
                                            "payload_ros2.yaml", "points.csv"};
  if (result.answer().is_possible) {
    HEFT_TRY(points, payload::points_text(result));
    const std::string of_possible[] = {payload::urdf_text(result), payload::franka_text(result),
                                       payload::universal_robots_text(result), payload::ros2_text(result),
                                       points};
    for (std::size_t k = 0; k < std::size(kOfPossible); ++k)
      texts.push_back({path(kOfPossible[k]), of_possible[k]});
  }
  if (result.options.is_calibration) {
    HEFT_TRY(zero, payload::zero_text(result));
    texts.push_back({path("zero.yaml"), zero});
  }
  HEFT_CHECK(write_files_whole(texts));
  std::error_code ignored;
  // those of an earlier answer must not stand beside this one
  if (!result.answer().is_possible)
    for (const char* name : kOfPossible) fs::remove(path(name), ignored);
  std::vector<std::string> paths;
  for (const FileText& text : texts) paths.push_back(text.path);
  return paths;
}

}  // namespace heft
