// Record of a robot's answer in a fleet: the input of the report, the table, the comparison with
// the population and the gate.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heft {

inline constexpr const char* kAnswerSchema = "heft-fleet-answer-6";  ///< schema of the record; part
                                                                     ///< of an answer's key

/// A mass [kg] or the value of a column, in `unit`.
struct RecordedQuantity {
  std::string name;  ///< of the body or column
  double value = 0;
  std::string unit;
  std::optional<std::array<double, 2>> interval;  ///< 95 % interval
};

struct RecordedDoubt {
  std::string id, words;
  bool is_open = false;  ///< serious and not accepted
};

/// Result of the logs of one day alone, by names of bodies [kg] and columns.
struct RecordedDay {
  std::string date;
  std::map<std::string, double> masses, columns;
  /// Half-widths of 95 % intervals by the logs of the day alone; without names where they cannot be
  /// told.
  std::map<std::string, double> mass_widths = {}, column_widths = {};
};

struct RecordedPopulation {
  struct Release {
    std::string group;  ///< not covered by the population prior
    double improbability = 0;
  };
  int robots = 0;  ///< number of robots behind the prior
  std::vector<Release> released;

  /// {robots, released: [{group, improbability}]}, as in fleet.json.
  nlohmann::ordered_json to_json() const;
};

struct AnswerRecord {
  std::string digest;  ///< of result.json
  std::string model;   ///< digest of the properties shared by robots of one model: bodies,
                       ///< references and columns
  std::string verdict;
  bool is_certified = false;
  std::optional<double> held_out, training;  ///< relative errors
  std::vector<RecordedDoubt> doubts;
  std::vector<RecordedQuantity> masses, columns;
  std::vector<RecordedDay> days;  ///< by date; empty if there are fewer than two
  std::optional<RecordedPopulation> population;

  /// Extracts the record from result.json, without days and population.
  static AnswerRecord of(const nlohmann::ordered_json& result, std::string digest);
  /// Parses the output of text(); empty if it is not a valid record.
  static std::optional<AnswerRecord> from_text(std::string_view text);
  std::string text() const;
};

}  // namespace heft
