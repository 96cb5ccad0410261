// Bytes as a recording of messages: an MCAP file or a database read to its columns; other bytes as
// a definition of a type, behind a zero a message of it; for Protocol Buffers, whose definitions
// hold zeros, behind their length.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bags/decoder.hpp"
#include "bags/recording.hpp"
#include "readers/log_info.hpp"
#include "tests/fuzz/bytes_file.hpp"

namespace heft::fuzz {

namespace {

void read_all(const std::string& path) {
  if (const auto info = log_info(path, {}); is_value(info))
    require(!info->topics.empty(), "a recording has topics");
  for (const char* stamp : {"auto", "publish", "log"}) {
    LogFormat format;
    format.stamp = stamp;
    const auto source = open_file(path, format);
    if (!is_value(source)) continue;
    std::vector<std::vector<int>> columns;
    for (const ColumnGroup& group : (*source)->groups()) {
      require(group.clock >= 0, "a topic has a clock");
      columns.emplace_back();
      for (std::size_t k = 0; k < group.columns.size(); ++k)
        columns.back().push_back(static_cast<int>(k));
    }
    if (!is_value((*source)->select(columns))) continue;
    std::vector<double> last(columns.size(), -1e300);
    ColumnBlock block;
    for (;;) {
      const auto found = (*source)->next(block);
      if (!is_value(found) || !*found) break;
      require(block.num_rows > 0, "a block has rows");
      for (std::int64_t row = 0; row < block.num_rows; ++row) {
        double& before = last[static_cast<std::size_t>(block.group)];
        require(block.columns.front()[row] >= before, "stamps don't go back");
        before = block.columns.front()[row];
      }
    }
  }
}

// The first byte chooses the encoding of messages and definitions.
void decode(std::string_view bytes) {
  struct Form {
    const char *encoding, *schema;
  };
  constexpr Form kForms[] = {{"cdr", "ros2msg"},
                             {"cdr", "ros2idl"},
                             {"ros1", "ros1msg"},
                             {"json", "jsonschema"},
                             {"protobuf", "protobuf"}};
  if (bytes.size() < 3) return;
  const Form& form = kForms[static_cast<unsigned char>(bytes[0]) % std::size(kForms)];
  std::size_t end = bytes.find('\0');
  if (form.encoding == std::string_view("protobuf")) {
    const std::size_t size =
        static_cast<unsigned char>(bytes[1]) * 256U + static_cast<unsigned char>(bytes[2]);
    bytes.remove_prefix(2);
    end = std::min(1 + size, bytes.size() - 1);
  }
  if (end == std::string_view::npos) return;
  bags::Topic topic{
      .name = "/fuzz",
      .type = form.encoding == std::string_view("protobuf") ? "fuzz.Fuzz" : "fuzz_msgs/msg/Fuzz",
      .encoding = form.encoding,
      .schema_encoding = form.schema,
      .schema = std::string(bytes.substr(1, end - 1)),
      .publisher = "channel 1"};
  const auto decoder = bags::Decoder::make(topic);
  if (!is_value(decoder)) return;
  const std::string_view message = bytes.substr(end + 1);
  if (!is_value((*decoder)->discover(message))) return;
  std::vector<int> all;
  for (std::size_t k = 0; k < (*decoder)->leaves().size(); ++k) all.push_back(static_cast<int>(k));
  (*decoder)->select(all);
  std::vector<double> numbers(all.size() + 1);
  // the third time, by the layout that the second kept
  std::vector<double> first;
  for (int time = 0; time < 3; ++time) {
    std::fill(numbers.begin(), numbers.end(), -1);
    require(is_value((*decoder)->read(message, numbers.data())), "what is discovered is read");
    if (time == 0) first = numbers;
    require(std::memcmp(first.data(), numbers.data(), numbers.size() * sizeof(double)) == 0,
            "a message has the same numbers every time");
  }
}

}  // namespace

}  // namespace heft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heft;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with(bags::kMcapMagic)) {
    const fuzz::BytesFile file(data, size);
    fuzz::read_all(file.path());
  } else if (bytes.starts_with(bags::kSqliteMagic)) {  // which wants a name
    const std::string path = "/dev/shm/heft-fuzz-" + std::to_string(::getpid()) + ".db3";
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    fuzz::read_all(path);
    ::unlink(path.c_str());
  } else {
    fuzz::decode(bytes);
  }
  return 0;
}
