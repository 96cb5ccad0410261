// The files of a study besides those of its designs: study.json and study.html.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "excite/study.hpp"

namespace heft::excite {

/// Writes study.json and study.html, both or none.
Result<Done> write_study(const Study& study, const StudyResult& result,
                         const std::string& directory);

/// The entries of study.json of an earlier run; none if the file is missing or damaged.
class EarlierStudy {
 public:
  explicit EarlierStudy(const std::string& directory);

  /// Returns the entry of a finished design with the same inputs whose design.json is unchanged.
  std::optional<StudyEntry> entry_of(const StudyDesign& design) const;

 private:
  std::string directory_;
  nlohmann::json robots_;
};

}  // namespace heft::excite
