#include "readers/devices.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "device_files.hpp"

namespace heft {

namespace {

/// The lines below "options:", which are indented by two.
std::string options_of(std::string_view text) {
  std::string options;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    options += line.starts_with("  ") ? line.substr(2) : line;
    text.remove_prefix(end);
  }
  return options;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  constexpr std::string_view kComma = ", ";
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kComma), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + kComma.size(), text.size()));
  }
  return parts;
}

/// "position 0 4095 1, torque -2047 2047 1"
void read_numbers(const std::string& text, Device& device) {
  for (const std::string& part : split_at_commas(text)) {
    std::istringstream words(part);
    std::string quantity;
    DeviceNumbers numbers;
    words >> quantity >> numbers.low >> numbers.high >> numbers.step;
    (quantity == "position" ? device.position : device.torque) = numbers;
  }
}

/// Whether a device that logs `numbers` can have written `logged`.
bool may_be(const std::optional<DeviceNumbers>& numbers, const LoggedNumbers& logged) {
  return !numbers || (logged.low >= numbers->low && logged.high <= numbers->high &&
                      (numbers->step == 0 || logged.are_integers));
}

/// Parses a file of "key: value" lines, ending with "options:".
Device read_device(const DeviceFile& file) {
  Device device{.name = file.name};
  std::string_view text = file.text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == "options:") {
      device.options = options_of(text);
      break;
    }
    const std::size_t colon = std::min(line.find(": "), line.size());
    const std::string_view key = line.substr(0, colon);
    const std::string value(line.substr(std::min(colon + 2, line.size())));
    if (key == "title") device.title = value;
    if (key == "units") device.units = value;
    if (key == "torque_is") device.torque_is = value;
    if (key == "source") device.source = value;
    if (key == "columns") device.columns = split_at_commas(value);
    if (key == "note") device.note = value;
    if (key == "numbers") read_numbers(value, device);
  }
  return device;
}

/// The field of a message's column, "/topic.q.0"; other columns as they are.
std::string_view without_topic(std::string_view column) {
  if (!column.starts_with('/')) return column;
  const std::size_t point = column.find('.', column.rfind('/'));
  return point == std::string_view::npos ? column : column.substr(point + 1);
}

/// Letters alone, in lower case: writers of tables differ in brackets, underscores and where
/// numbers begin.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

/// A pattern of device_data against the letters of a column's name.
class ColumnSignature {
 public:
  explicit ColumnSignature(std::string pattern) {
    if (const std::size_t at = pattern.find("{i}"); at != std::string::npos) pattern.erase(at, 3);
    const std::size_t joint = pattern.find("{joint}");
    has_joint_ = joint != std::string::npos;
    begin_ = letters_of(pattern.substr(0, joint));
    if (has_joint_) end_ = letters_of(pattern.substr(joint + 7));
  }

  std::size_t size() const { return begin_.size() + end_.size(); }

  bool fits(const std::string& letters) const {
    constexpr std::size_t kSaysEnough = 10;  // letters that a prefix, such as a topic's name, may
                                             // precede
    if (has_joint_)
      return letters.size() > size() && letters.starts_with(begin_) && letters.ends_with(end_);
    return letters == begin_ || (begin_.size() >= kSaysEnough && letters.ends_with(begin_));
  }

 private:
  std::string begin_, end_;
  bool has_joint_ = false;
};

/// Total length of the device's column names if a log has all of them, otherwise 0.
std::size_t letters_found(const Device& device, const std::vector<std::string>& letters) {
  std::size_t found = 0;
  for (const std::string& pattern : device.columns) {
    const ColumnSignature signature(pattern);
    const bool is_there = std::any_of(letters.begin(), letters.end(), [&](const std::string& name) {
      return signature.fits(name);
    });
    if (!is_there) return 0;
    found += signature.size();
  }
  return found;
}

}  // namespace

const std::vector<Device>& devices() {
  static const std::vector<Device> all = [] {
    std::vector<Device> read;
    for (const DeviceFile& file : device_files()) read.push_back(read_device(file));
    return read;
  }();
  return all;
}

const Device* find_device(std::string_view name) {
  const auto found = std::find_if(devices().begin(), devices().end(),
                                  [&](const Device& device) { return device.name == name; });
  return found == devices().end() ? nullptr : &*found;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const Device& device : devices()) names.push_back(device.name);
  return names;
}

std::vector<const Device*> devices_by_numbers(const LoggedNumbers& position,
                                              const LoggedNumbers& torque) {
  constexpr double kLeastRange = 0.2;
  std::vector<const Device*> found;
  for (const Device& device : devices())
    if (device.position && may_be(device.position, position) && may_be(device.torque, torque) &&
        position.high - position.low >=
            kLeastRange * (device.position->high - device.position->low))
      found.push_back(&device);
  return found;
}

DeviceGuess guess_device(const std::vector<std::string>& columns) {
  constexpr double kByNames = 0.95, kByOneName = 0.8, kByShared = 0.5;
  std::vector<std::string> letters;
  for (const std::string& column : columns) letters.push_back(letters_of(without_topic(column)));
  DeviceGuess guess;
  std::size_t most = 0;
  for (const bool is_external : {false, true}) {
    for (const Device& device : devices()) {
      const std::size_t found = letters_found(device, letters);
      if (found == 0 || found < most || (device.torque_is == "external") != is_external) continue;
      const double by_names = device.columns.size() > 1 ? kByNames : kByOneName;
      guess = found == most ? DeviceGuess{guess.device, kByShared} : DeviceGuess{&device, by_names};
      most = found;
    }
    if (guess.device != nullptr) break;
  }
  return guess;
}

}  // namespace heft
