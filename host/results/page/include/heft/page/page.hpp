// What an identification leaves in a folder: result.json for machines, a URDF for simulators, a
// page for people. Threads: any number of threads may call, each with objects of its own; what is
// const may be shared. Two calls must not write to one folder.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/identify/estimate.hpp"
#include "heft/report/report.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct WrittenFiles {
  std::string result;  ///< path of result.json
  std::string page;    ///< path of report.html; empty if there is none
  std::string robot;   ///< path of identified.urdf; empty if the answer is not physically possible
  std::string no_robot;  ///< then why
};

/// Writes result.json, report.html, identified.urdf and, with rotors, rotors.yaml into `directory`
/// (made if missing), all of them or none. A least squares answer with impossible bodies has no
/// URDF. The page draws the shapes of the robot's file; their meshes are looked for near it, then
/// in `package_folders`, and left out where they are not.
Result<WrittenFiles> write_result(const Identification& identification,
                                  const std::string& directory,
                                  const std::vector<std::string>& package_folders = {});

/// Two results as tables for the terminal: errors, parameters of the bodies and columns that both
/// have, and whether each lies within the other's interval. A path is that of a result.json or of
/// its directory. Writes the same as a page to `page_path` unless it is empty. `common`: errors on
/// the same rows (predict_common_rows), which decide where the two were judged on different ones.
/// Errors: not a result of Heft, a page that cannot be written.
Result<std::string> compare_results(const std::string& path_a, const std::string& path_b,
                                    const std::string& page_path = "",
                                    const std::vector<CommonRows>& common = {});

/// Whether two results were judged on different rows of the same logs, so that errors of theirs say
/// nothing of each other. Errors: not a result of Heft.
Result<bool> are_judged_on_different_rows(const std::string& path_a, const std::string& path_b);

}  // namespace heft
#pragma GCC visibility pop
