// The moments file (*.heft): training data that fit in a mail, merge with others, and need no logs.
//
//   heft-moments-1\n
//   length of the header in bytes, decimal\n
//   header, JSON: robot (URDF text), rotors (YAML text), options, logs, sizes
//   doubles, little endian: the total's sums and row counts, then those of every stretch
//   SHA-256 of all before, 64 hexadecimal digits
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "heft/training_data.hpp"
#include "host/files/sha256.hpp"
#include "host/files/whole_file.hpp"
#include "host/text/json_text.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

const std::string kMagic = "heft-moments-1\n";
constexpr std::size_t kDigestSize = 64;

std::string digest_of(const std::string& bytes, std::size_t size) {
  Sha256 sha;
  sha.update(bytes.data(), size);
  return sha.hex_digest();
}

Json log_json(const LogSummary& log) {
  return {{"path", log.path},
          {"sha256", log.sha256},
          {"rows", log.num_rows},
          {"segments", log.num_segments},
          {"duration_s", log.duration_s},
          {"rate_hz", log.rate_hz},
          {"jitter", log.jitter},
          {"interpolated", log.num_interpolated},
          {"samples", log.num_samples},
          {"sample_period_s", log.sample_period_s},
          {"filter_reach_s", log.filter_reach_s},
          {"dropped", log.dropped}};
}

/// A count; what is no whole number, or negative, throws as all of Json does.
template <class Integer>
Integer count_from(const Json& json) {
  const auto count = json.get_ref<const Json::number_unsigned_t&>();
  return static_cast<Integer>(
      std::min(count, static_cast<Json::number_unsigned_t>(std::numeric_limits<Integer>::max())));
}

DroppedRows dropped_from(const Json& json) {
  DroppedRows dropped;
  for (const auto& [reason, rows] : json.items()) dropped[reason] = count_from<std::int64_t>(rows);
  return dropped;
}

LogSummary log_from(const Json& json) {
  return {.path = json.at("path"),
          .sha256 = json.at("sha256"),
          .num_rows = count_from<std::int64_t>(json.at("rows")),
          .num_segments = count_from<int>(json.at("segments")),
          .duration_s = json.at("duration_s"),
          .rate_hz = json.at("rate_hz"),
          .jitter = json.at("jitter"),
          .num_interpolated = count_from<std::int64_t>(json.at("interpolated")),
          .num_samples = count_from<std::int64_t>(json.at("samples")),
          .sample_period_s = json.at("sample_period_s"),
          .filter_reach_s = json.at("filter_reach_s"),
          .dropped = dropped_from(json.at("dropped"))};
}

std::string header_of(const TrainingData& data) {
  const Robot& robot = data.plan->robot;
  Json header{{"robot_path", robot.source},
              {"robot", robot.source_text},
              {"rotors", robot.rotors_text},
              {"options", Json::parse(to_json(data.configuration))},
              {"fingerprint", std::to_string(data.plan->fingerprint)}};
  header["logs"] = Json::array();
  for (const LogSummary& log : data.logs) header["logs"].push_back(log_json(log));
  header["stretches"] = Json::array();
  for (const MomentStretch& stretch : data.stretches) header["stretches"].push_back(stretch.num_samples);
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append(std::string& bytes, const std::vector<double>& numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
}

/// Takes numbers off the file's bytes, one vector after the other.
struct NumberReader {
  const std::string& bytes;
  std::size_t at;

  bool take(std::vector<double>& numbers) {
    std::memcpy(numbers.data(), bytes.data() + at, numbers.size() * sizeof(double));
    at += numbers.size() * sizeof(double);
    for (const double x : numbers)
      if (!std::isfinite(x)) return false;
    return true;
  }

  bool take(Moments& moments) {
    const auto is_count = [](double rows) { return rows >= 0; };
    return take(moments.packed) && take(moments.num_rows) &&
           std::all_of(moments.num_rows.begin(), moments.num_rows.end(), is_count);
  }
};

/// Everything before the numbers, with room for `num_bytes` of them.
Result<TrainingData> data_without_numbers(const Json& header, std::size_t num_bytes,
                                          const std::string& path) {
  HEFT_TRY(configuration, configuration_from_json(header.at("options").dump(), path));
  HEFT_TRY(robot, read_robot_text(header.at("robot_path"), header.at("robot"), header.at("rotors"),
                                  configuration.robot));
  HEFT_TRY(model, make_model(std::move(robot), configuration));
  if (header.at("fingerprint") != std::to_string(model.plan->fingerprint))
    return Error{path, "holds sums of another layout than its robot and options describe",
                 "it was written by another version of heft: make it again from the logs"};
  // asked before there is room for them: a short header can describe a huge robot
  const auto numbers_each = static_cast<std::size_t>(model.plan->packed_size + model.plan->num_channels());
  const std::size_t num_sets = 1 + header.at("stretches").size();
  if (num_bytes % num_sets != 0 || num_bytes / num_sets != sizeof(double) * numbers_each)
    return Error{path, "does not have as many numbers as its header says", "make it again from the logs"};
  TrainingData data{model.plan, configuration, {}, zero_moments(model.plan), {}};
  for (const Json& log : header.at("logs")) data.logs.push_back(log_from(log));
  for (const Json& num_samples : header.at("stretches"))
    data.stretches.push_back({zero_moments(model.plan), count_from<std::int64_t>(num_samples)});
  return data;
}

/// Where header and numbers lie, once the digest has vouched for the bytes.
struct Places {
  std::size_t header, numbers, end;
};

Result<Places> find_places(const std::string& bytes, const std::string& path) {
  if (!bytes.starts_with(kMagic))
    return Error{path, "is not a moments file", "give a file that heft identify --moments wrote"};
  const Error damaged{path, "is truncated or was altered: its checksum does not match",
                      "copy it again, or make it again from the logs"};
  if (bytes.size() < kMagic.size() + kDigestSize) return damaged;
  const std::size_t end = bytes.size() - kDigestSize;
  if (bytes.compare(end, kDigestSize, digest_of(bytes, end)) != 0) return damaged;
  const std::size_t line_end = bytes.find('\n', kMagic.size());
  const std::string digits =
      bytes.substr(kMagic.size(), std::min<std::size_t>(line_end, end) - kMagic.size());
  if (line_end >= end || digits.empty() || digits.size() > 12 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return damaged;
  const std::size_t header = line_end + 1, numbers = header + std::stoull(digits);
  if (numbers > end) return damaged;
  return Places{header, numbers, end};
}

}  // namespace

Result<Done> write_moments_file(const TrainingData& data, const std::string& path) {
  if (data.plan->unmixed)
    return Error{path,
                 "cannot hold sums of whitened channels: those of other logs would not add up with them",
                 "leave estimation.channel_covariance at diagonal"};
  const std::string header = header_of(data);
  std::string bytes = kMagic + std::to_string(header.size()) + "\n" + header;
  append(bytes, data.moments.packed);
  append(bytes, data.moments.num_rows);
  for (const MomentStretch& stretch : data.stretches) {
    append(bytes, stretch.moments.packed);
    append(bytes, stretch.moments.num_rows);
  }
  bytes += digest_of(bytes, bytes.size());
  return write_file_whole(path, bytes);
}

Result<TrainingData> read_moments_file(const std::string& path) {
  HEFT_TRY(bytes, read_file_whole(path, kLargestFile, kMagic));
  HEFT_TRY(places, find_places(bytes, path));
  const Error odd{path, "does not hold what its header says", "make it again from the logs"};
  const Json header = parse_json<Json>(bytes.substr(places.header, places.numbers - places.header));
  if (header.is_discarded()) return odd;
  try {
    HEFT_TRY(data, data_without_numbers(header, places.end - places.numbers, path));
    NumberReader reader{bytes, places.numbers};
    bool sound = reader.take(data.moments);
    for (MomentStretch& stretch : data.stretches) sound = sound && reader.take(stretch.moments);
    if (!sound) return odd;
    return data;
  } catch (const Json::exception&) {
    return odd;
  }
}

}  // namespace heft
