#include "payload/wrench_stream.hpp"

#include <algorithm>
#include <cmath>

#include "readers/text_line.hpp"
#include "stream_rows.hpp"
#include "sums/rows.hpp"
#include "wrench_columns.hpp"
#include "wrench_delay.hpp"

namespace heft {

namespace {

/// Same as without_tool for whole logs.
void take_off(const KnownTool& tool, WrenchSample& sample) {
  sample.wrench -=
      payload::rows_of(payload::motion_numbers(sample.w, sample.wd, sample.u)) * tool.parameters;
  if (tool.has_bias) sample.wrench -= tool.bias;
}

class MotionRows final : public payload::StreamRows {
 public:
  MotionRows(payload::WrenchColumns columns, const SensorOptions& options)
      : columns_(std::move(columns)), options_(options), wanted_(columns_.columns.size()) {}

  Result<std::optional<WrenchSample>> sample(const std::vector<double>& numbers,
                                             const std::string& where) override {
    for (std::size_t k = 0; k < wanted_.size(); ++k)
      wanted_[k] = numbers[static_cast<std::size_t>(columns_.columns[k])];
    if (!std::all_of(wanted_.begin(), wanted_.end(), [](double x) { return std::isfinite(x); }))
      return std::optional<WrenchSample>();
    const auto row = payload::wrench_row(columns_, wanted_.data(), options_);
    if (!row) return Error{where, row.error().what, row.error().remedy};
    WrenchSample sample{row->time, row->w, row->wd, row->a - row->g, {}};
    sample.wrench << row->force, row->torque;
    return std::optional<WrenchSample>(sample);
  }

 private:
  payload::WrenchColumns columns_;
  SensorOptions options_;
  std::vector<double> wanted_;
};

}  // namespace

namespace payload {

Result<std::shared_ptr<StreamRows>> rows_of_motion(const std::vector<std::string>& names,
                                                   const SensorOptions& options,
                                                   const std::string& where) {
  HEFT_TRY(found, find_wrench_columns(names, options, where));
  if (!found.moves())
    return Error{where, "has poses at rest, which cannot be streamed",
                 "send wx..wz, alx..alz and ax..az as well, or weigh the poses with --log"};
  return std::shared_ptr<StreamRows>(std::make_shared<MotionRows>(std::move(found), options));
}

}  // namespace payload

Result<WrenchLineReader> WrenchLineReader::make(const std::string& header,
                                                const SensorOptions& options,
                                                const MakeRows& make_rows) {
  WrenchLineReader reader;
  reader.options_ = options;
  reader.names_ = names_of_header(header);
  HEFT_TRY(rows, make_rows(reader.names_));
  reader.rows_ = std::move(rows);
  if (options.wrench_delay_s != 0)
    reader.delay_ = std::make_shared<payload::WrenchDelay>(options.wrench_delay_s);
  return reader;
}

Result<WrenchLineReader> WrenchLineReader::make(const std::string& header,
                                                const SensorOptions& options,
                                                const std::string& where) {
  return make(header, options, [&](const std::vector<std::string>& names) {
    return payload::rows_of_motion(names, options, where);
  });
}

Result<WrenchLineReader> WrenchLineReader::make(const std::string& header,
                                                const SensorOnLink& sensor,
                                                const SensorOptions& options,
                                                const std::string& where) {
  return make(header, options, [&](const std::vector<std::string>& names) {
    return payload::rows_of_coordinates(names, sensor, options, where);
  });
}

Result<std::optional<WrenchSample>> WrenchLineReader::read(const std::string& line,
                                                           const std::string& where) {
  std::vector<std::string_view> fields;
  split_line(line, fields);
  if (fields.size() != names_.size())
    return Error{where,
                 "has " + std::to_string(fields.size()) + " fields, but the header has " +
                     std::to_string(names_.size()),
                 "send a number for every column, separated by commas"};
  numbers_.clear();
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const auto value = number_of_field(fields[k]);
    if (!value)
      return Error{where,
                   "'" + std::string(fields[k].substr(0, 40)) + "' in column '" + names_[k] +
                       "' is not a number",
                   "send numbers with a decimal point"};
    numbers_.push_back(*value);
  }
  HEFT_TRY(sample, rows_->sample(numbers_, where));
  if (sample && delay_) sample = delay_->next(*sample);
  if (sample && options_.tool) take_off(*options_.tool, *sample);
  return sample;
}

}  // namespace heft
