// The moments file (*.heft): training data that fit in a mail, merge with others, and need no logs.
//
//   heft-moments-1\n
//   length of the header in bytes, decimal\n
//   header, JSON: robot (URDF text), rotors (YAML text), options, logs, sizes
//   doubles, little endian: the total's sums and row counts, then those of every stretch
//   SHA-256 of all before, 64 hexadecimal digits
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "heft/training_data.hpp"
#include "host/files/sha256.hpp"
#include "host/files/whole_file.hpp"

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

LogSummary log_from(const Json& json) {
  return {.path = json.at("path"),
          .sha256 = json.at("sha256"),
          .num_rows = json.at("rows"),
          .num_segments = json.at("segments"),
          .duration_s = json.at("duration_s"),
          .rate_hz = json.at("rate_hz"),
          .jitter = json.at("jitter"),
          .num_interpolated = json.at("interpolated"),
          .num_samples = json.at("samples"),
          .sample_period_s = json.at("sample_period_s"),
          .filter_reach_s = json.at("filter_reach_s"),
          .dropped = json.at("dropped").get<DroppedRows>()};
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
};

/// Everything before the numbers, with room for `num_bytes` of them.
Result<TrainingData> data_without_numbers(const Json& header, std::size_t num_bytes,
                                          const std::string& path) {
  HEFT_TRY(configuration, configuration_from_json(header.at("options").dump(), path));
  HEFT_TRY(robot, read_urdf_text(header.at("robot_path"), header.at("robot"), header.at("rotors"),
                                 configuration.robot));
  HEFT_TRY(model, make_model(std::move(robot), configuration));
  if (header.at("fingerprint") != std::to_string(model.plan->fingerprint))
    return Error{path, "holds sums of another layout than its robot and options describe",
                 "it was written by another version of heft: make it again from the logs"};
  TrainingData data{model.plan, configuration, {}, zero_moments(model.plan), {}};
  const std::size_t numbers_each = data.moments.packed.size() + data.moments.num_rows.size();
  if (num_bytes != sizeof(double) * numbers_each * (1 + header.at("stretches").size()))
    return Error{path, "does not have as many numbers as its header says", "make it again from the logs"};
  for (const Json& log : header.at("logs")) data.logs.push_back(log_from(log));
  for (const Json& num_samples : header.at("stretches"))
    data.stretches.push_back({zero_moments(model.plan), num_samples.get<std::int64_t>()});
  return data;
}

/// Where header and numbers lie, once the digest has vouched for the bytes.
struct Places {
  std::size_t header, numbers, end;
};

Result<Places> find_places(const std::string& bytes, const std::string& path) {
  if (bytes.compare(0, kMagic.size(), kMagic) != 0)
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
  HEFT_TRY(bytes, read_file_whole(path));
  HEFT_TRY(places, find_places(bytes, path));
  const Error odd{path, "does not hold what its header says", "make it again from the logs"};
  const Json header =
      Json::parse(bytes.substr(places.header, places.numbers - places.header), nullptr, false);
  if (header.is_discarded()) return odd;
  try {
    HEFT_TRY(data, data_without_numbers(header, places.end - places.numbers, path));
    NumberReader reader{bytes, places.numbers};
    bool finite = reader.take(data.moments.packed) && reader.take(data.moments.num_rows);
    for (MomentStretch& stretch : data.stretches)
      finite = finite && reader.take(stretch.moments.packed) && reader.take(stretch.moments.num_rows);
    if (!finite) return odd;
    return data;
  } catch (const Json::exception&) {
    return odd;
  }
}

}  // namespace heft
