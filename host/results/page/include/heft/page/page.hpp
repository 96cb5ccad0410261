// Result files of an identification: result.json for programs, a URDF for simulators, a report page
// for people. Threads: safe to call from several threads on separate objects; const objects may be
// shared. Two calls must not write to the same folder.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/identify/estimate.hpp"
#include "heft/report/report.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Paths of the files that write_result() wrote.
struct WrittenFiles {
  std::string result;  ///< path of result.json
  std::string page;    ///< path of report.html; empty if not written
  std::string robot;   ///< path of identified.urdf; empty if the estimate is physically impossible
  std::string no_robot;  ///< reason why there is no URDF
};

/// Writes result.json, report.html, identified.urdf and, with rotors, rotors.yaml into `directory`
/// (created if missing), all of them or none. A least-squares estimate with impossible bodies has
/// no URDF. The page draws the shapes of the robot's file; their meshes are searched near it, then
/// in `package_folders`, and are omitted if not found.
Result<WrittenFiles> write_result(const Identification& identification,
                                  const std::string& directory,
                                  const std::vector<std::string>& package_folders = {});

/// Returns a comparison of two results as tables for the terminal: errors, common parameters of
/// bodies and columns, and whether each value lies within the other's interval. A path is that of a
/// result.json or of its directory. Also writes the comparison as a page to `page_path` unless that
/// is empty. `common` are errors on the same rows (predict_common_rows), which replace errors that
/// were computed on different rows. Errors: not a result of Heft, a page that cannot be written.
Result<std::string> compare_results(const std::string& path_a, const std::string& path_b,
                                    const std::string& page_path = "",
                                    const std::vector<CommonRows>& common = {});

/// Returns whether the errors of two results come from different rows of the same logs and thus
/// cannot be compared. Errors: not a result of Heft.
Result<bool> are_judged_on_different_rows(const std::string& path_a, const std::string& path_b);

}  // namespace heft
#pragma GCC visibility pop
