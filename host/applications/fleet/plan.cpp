#include "fleet/plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.hpp"
#include "dates.hpp"
#include "file_stamp.hpp"
#include "files/sha256.hpp"
#include "heft/log/several_files.hpp"
#include "log_files.hpp"
#include "overlap.hpp"
#include "store.hpp"

namespace heft {

namespace {

constexpr double kClockTolerance_s = 86400;  ///< tolerance for dates in the future: time zones

struct FileFacts {
  static constexpr std::int64_t kMissing = -1, kNoFile = -2;

  std::int64_t size = kMissing;  ///< negative: the reason why the size is unknown
  FileStamp stamp = {};
  std::string culprit = {};  ///< file of a log that has no size
};

/// Files, each examined once.
class KnownFiles {
 public:
  const FileFacts& of(const std::string& path) {
    const auto [known, is_new] = files_.try_emplace(path);
    struct stat facts = {};
    if (is_new && ::stat(path.c_str(), &facts) == 0)
      known->second = {S_ISREG(facts.st_mode) ? facts.st_size : FileFacts::kNoFile,
                       stamp_by(facts)};
    return known->second;
  }

  /// The file, or all files of a log, as one.
  FileFacts of_log(const std::string& log) {
    const FileFacts alone = of(log);
    if (alone.size >= 0) return alone;
    std::vector<FileStamp> stamps;
    for (const LogMember& member : members_of_log(log)) {
      if (member.files.empty()) return {.size = FileFacts::kNoFile, .culprit = member.path};
      for (const std::string& path : member.files) {
        const FileFacts& facts = of(path);
        if (facts.size <= 0) return {.size = facts.size, .culprit = path};
        stamps.push_back(facts.stamp);
      }
    }
    const FileStamp all = stamp_of_all(stamps);
    return {.size = all.size, .stamp = all};
  }

 private:
  std::unordered_map<std::string, FileFacts> files_;
};

/// Paths of a log's files, and its digest if the manifest has it.
std::vector<std::string> names_of(const FleetRow& row) {
  std::vector<std::string> names = files_of_log(row.log);
  if (!row.sha256.empty()) names.push_back(row.sha256);
  return names;
}

class Planner {
 public:
  explicit Planner(Manifest manifest) { plan_.manifest = std::move(manifest); }

  FleetPlan plan() {
    const Manifest& manifest = plan_.manifest;
    std::map<std::string, FleetRobot> robots;
    plan_.stamps.resize(manifest.rows.size());
    for (std::size_t i = 0; i < manifest.rows.size(); ++i)
      take(manifest.rows[i], i, robots[manifest.rows[i].robot_id]);
    for (const RowFault& fault : manifest.faults)
      if (fault.robot_id.empty())
        plan_.errors.push_back(fault.error);
      else
        robots[fault.robot_id].errors.push_back(fault.error);
    for (auto& [id, robot] : robots) {
      robot.id = id;
      judge(robot);
      plan_.robots.push_back(std::move(robot));
    }
    name_folders();
    return std::move(plan_);
  }

 private:
  std::string place(const FleetRow& row) const {
    return fmt::format("{}:{}", plan_.manifest.path, row.line);
  }

  void take(const FleetRow& row, std::size_t index, FleetRobot& robot) {
    const auto one_file = [&](std::string& had, const std::string& has, const char* what) {
      if (had == has) return;
      robot.has_answer = false;
      robot.errors.push_back(
          {place(row),
           fmt::format("robot '{}' has two {}: '{}' here, '{}' in an earlier row", row.robot_id,
                       what, has, had),
           "give all rows of this robot the same file, or use two robot ids"});
    };
    if (robot.robot.empty())
      robot.robot = row.robot, robot.config = row.config;
    else
      one_file(robot.robot, row.robot, "robot files"),
          one_file(robot.config, row.config, "configurations");
    if (!row.recorded.empty()) {
      if (*date_of(row.recorded) > now_s_ + kClockTolerance_s)
        robot.notes.push_back(
            fmt::format("{}: recorded {} is in the future: check the clock of the recorder",
                        place(row), row.recorded));
      if (robot.recorded.empty() || *date_of(robot.recorded) < *date_of(row.recorded))
        robot.recorded = row.recorded;
    }
    const auto [size, stamp, culprit] = files_.of_log(row.log);
    const auto bad_log = [&, path = culprit.empty() ? row.log : culprit](const char* what,
                                                                         const char* remedy) {
      robot.errors.push_back({place(row), fmt::format("log '{}' {}", path, what), remedy});
    };
    if (size == FileFacts::kMissing)
      return bad_log("does not exist", "fix the path: it is relative to the manifest's folder");
    if (size == FileFacts::kNoFile)
      return bad_log("is neither a file nor a bag folder", "give the path of a file or bag folder");
    if (size == 0) return bad_log("is empty: 0 bytes", "record it again, or remove its row");
    plan_.num_bytes += size;
    robot.num_bytes += static_cast<double>(size);
    robot.newest_s = std::max(robot.newest_s, seconds_of(stamp));
    plan_.stamps[index] = stamp;
    (row.validates ? robot.validation : robot.training).push_back(index);
  }

  void judge(FleetRobot& robot) {
    const auto hopeless = [&](const Error& error) {
      robot.errors.push_back(error);
      robot.has_answer = false;
    };
    const std::string id = fmt::format("robot '{}'", robot.id);
    const std::vector<FleetRow>& rows = plan_.manifest.rows;
    if (robot.training.empty()) {
      // errors of its rows say why; advice to add a row would mislead beside them
      if (!robot.errors.empty()) {
        robot.has_answer = false;
        return;
      }
      if (robot.validation.empty())
        hopeless({id, "has no usable log", "give it a row with the role train"});
      else
        hopeless({place(rows[robot.validation.front()]),
                  id + " has logs for validation, but none for training",
                  "give it a row with the role train"});
      return;
    }
    const std::string first = place(rows[robot.training.front()]);
    for (const std::string* file : {&robot.robot, &robot.config}) {
      if (file->empty()) continue;
      const std::int64_t size = files_.of(*file).size;
      if (size > 0) continue;
      hopeless(
          {first,
           fmt::format("{} '{}' {}", file == &robot.robot ? "robot file" : "configuration", *file,
                       size == 0                    ? "is empty: 0 bytes"
                       : size == FileFacts::kNoFile ? "is not a file"
                                                    : "does not exist"),
           "fix the path in the rows of " + id});
    }
    std::map<std::string, std::vector<std::size_t>> known;  // training rows by path and by digest
    for (const std::size_t i : robot.training) {
      for (const std::string& name : names_of(rows[i])) known[name].push_back(i);
    }
    for (const std::size_t v : robot.validation)
      for (const std::string& name : names_of(rows[v])) {
        const auto found = known.find(name);
        if (found == known.end()) continue;
        for (const std::size_t t : found->second)
          if (overlap(rows[t], rows[v]))
            return hopeless(leak_of(rows[t], rows[v], plan_.manifest.path));
      }
  }

  void name_folders() {
    std::unordered_map<std::string, int> alike;
    for (FleetRobot& robot : plan_.robots) {
      robot.folder = folder_name_of(robot.id);
      ++alike[in_lower_case(robot.folder)];
    }
    for (FleetRobot& robot : plan_.robots)
      if (alike[in_lower_case(robot.folder)] > 1 && robot.folder != in_lower_case(robot.folder))
        robot.folder += "~" + sha256_of(robot.id).substr(0, 8);
  }

  FleetPlan plan_;
  KnownFiles files_;
  double now_s_ = now_s();
};

}  // namespace

bool overlap(const FleetRow& a, const FleetRow& b) {
  return a.start_s < b.end_s && b.start_s < a.end_s;
}

Error leak_of(const FleetRow& training, const FleetRow& validation, const std::string& manifest) {
  return {
      fmt::format("{}:{}", manifest, validation.line),
      fmt::format("robot '{}' is validated on its training data: log '{}' is the same as "
                  "in line {}{}",
                  validation.robot_id, validation.log, training.line,
                  training.log == validation.log ? "" : ", '" + training.log + "', byte for byte"),
      "hold out a log that is not used for training, or stretches that do not "
      "overlap (start_s, end_s)"};
}

FleetPlan plan_fleet(Manifest manifest) {
  return Planner(std::move(manifest)).plan();
}

}  // namespace heft
