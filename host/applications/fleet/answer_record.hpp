// What a fleet keeps of a robot's answer: what its report, its table, the comparison with the
// population and the gate ask for.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heft {

inline constexpr const char* kAnswerSchema = "heft-fleet-answer-5";  ///< of the record; a part of
                                                                     ///< an answer's key

/// A mass [kg] or the value of a column, in `unit`.
struct RecordedQuantity {
  std::string name;  ///< of the body or of the column
  double value = 0;
  std::string unit;
  std::optional<std::array<double, 2>> interval;  ///< of 95 %
};

struct RecordedDoubt {
  std::string id, words;
  bool is_open = false;  ///< serious and not accepted
};

/// What the logs of one day say by themselves, by the names of bodies [kg] and columns.
struct RecordedDay {
  std::string date;
  std::map<std::string, double> masses, columns;
};

struct RecordedPopulation {
  struct Release {
    std::string group;  ///< that the population prior does not cover
    double improbability = 0;
  };
  int robots = 0;  ///< that made the prior
  std::vector<Release> released;

  /// {robots, released: [{group, improbability}]}, as in fleet.json.
  nlohmann::ordered_json to_json() const;
};

struct AnswerRecord {
  std::string digest;  ///< of result.json
  std::string model;   ///< digest of what robots of one model share: bodies, references and columns
  std::string verdict;
  bool is_certified = false;
  std::optional<double> held_out, training;  ///< relative errors
  std::vector<RecordedDoubt> doubts;
  std::vector<RecordedQuantity> masses, columns;
  std::vector<RecordedDay> days;  ///< by date; empty: there are fewer than two
  std::optional<RecordedPopulation> population;

  /// Of result.json, without days and population.
  static AnswerRecord of(const nlohmann::ordered_json& result, std::string digest);
  /// As text() wrote it; empty: it is none.
  static std::optional<AnswerRecord> from_text(std::string_view text);
  std::string text() const;
};

}  // namespace heft
