// Writes the files of a result, all of them or none.
#include "heft/page/page.hpp"

#include <filesystem>

#include "files/whole_file.hpp"
#include "heft/report/report.hpp"
#include "heft/robot/robot_document.hpp"
#include "identified_bodies.hpp"
#include "page.hpp"
#include "page/write_document.hpp"
#include "report/result_document.hpp"
#include "report/robot_file.hpp"

namespace heft {

namespace fs = std::filesystem;

namespace {

Result<WrittenFiles> write_all(const Identification& identification, std::string result,
                               const std::string& directory, const std::string* page) {
  HEFT_CHECK(make_folder(directory));

  const auto path = [&](const std::string& name) { return (fs::path(directory) / name).string(); };
  const Robot& robot = identification.plan().robot;
  WrittenFiles files{.result = path("result.json")};
  std::vector<FileText> texts = {{files.result, std::move(result)}};
  if (page) {
    files.page = path("report.html");
    texts.push_back({files.page, *page});
  }
  const std::vector<int>& impossible = identification.answer().impossible_bodies;
  if (impossible.empty()) {
    HEFT_TRY(document, parse_robot_document(robot.source, robot.source_text));
    HEFT_TRY(identified, document->with_identified(robot, identified_bodies(identification),
                                                   robot_file_dynamics(identification)));
    files.robot = path(document->identified_name());
    texts.push_back({files.robot, identified});
  } else {
    files.no_robot = "physically impossible bodies: " + std::to_string(impossible.size());
  }
  // rotors are not part of a URDF: copy their description, so that the directory is self-contained
  if (!robot.rotors_text.empty()) texts.push_back({path("rotors.yaml"), robot.rotors_text});
  HEFT_CHECK(write_files_whole(texts));
  std::error_code ignored;
  // remove a URDF or page of an earlier result
  for (const std::string& name : identified_names())
    if (path(name) != files.robot) fs::remove(path(name), ignored);
  if (files.page.empty()) fs::remove(path("report.html"), ignored);
  return files;
}

}  // namespace

Result<WrittenFiles> write_result(const Identification& identification,
                                  const std::string& directory,
                                  const std::vector<std::string>& package_folders) {
  const std::string page =
      page_html(identification,
                outlines_of(identification.plan().robot, {.package_folders = package_folders}));
  return write_all(identification, result_json(identification), directory, &page);
}

Result<WrittenFiles> write_document(const Identification& identification,
                                    const nlohmann::ordered_json& document,
                                    const std::string& directory) {
  return write_all(identification, result_text(document), directory, nullptr);
}

}  // namespace heft
