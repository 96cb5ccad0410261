// Replays inputs through one entry function without a fuzzer: `<target>_replay folder [seconds]`.
// Runs every file of the folder, in the order of names; then damaged copies of them for some
// seconds. After a crash, the last printed name is the cause; the damaged input that crashed is in
// the file fuzz_input_<pid>.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<char>;

void run(const Bytes& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Changes bits, replaces lengths, cuts, repeats, and takes pieces of another input.
class Damage {
 public:
  Bytes damaged(Bytes bytes, const Bytes& other) {
    for (std::size_t count = std::size_t{1} << below(5); count > 0; --count) change(bytes, other);
    return bytes;
  }
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

 private:
  void change(Bytes& bytes, const Bytes& other) {
    constexpr std::uint64_t kOdd[] = {0,         1,         0x7f,      0xff,           0xffff,
                                      1U << 31U, 1UL << 40, 1UL << 63, UINT64_MAX - 8, UINT64_MAX};
    if (bytes.empty()) return;
    const std::size_t at = below(bytes.size()), left = bytes.size() - at;
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(5)) {
      case 0:
        *place = static_cast<char>(*place ^ (1 << below(8)));
        break;
      case 1: {
        const std::uint64_t value = kOdd[below(std::size(kOdd))];
        const auto* raw = reinterpret_cast<const char*>(&value);
        std::copy_n(raw, std::min(left, std::size_t{1} << below(4)), place);
        break;
      }
      case 2:
        bytes.erase(place, place + static_cast<std::ptrdiff_t>(std::min(left, 1 + below(64))));
        break;
      case 3: {
        const Bytes piece(place,
                          place + static_cast<std::ptrdiff_t>(std::min(left, 1 + below(64))));
        bytes.insert(place, piece.begin(), piece.end());
        break;
      }
      default:
        if (!other.empty()) {
          const std::size_t from = below(other.size());
          std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from),
                      std::min({left, other.size() - from, 1 + below(64)}), place);
        }
    }
  }

  std::mt19937_64 random_{1};
};

std::size_t run_damaged(const std::vector<Bytes>& inputs, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  const std::string path = "fuzz_input_" + std::to_string(::getpid());
  Damage damage;
  std::size_t count = 0;
  for (; Clock::now() < end; ++count) {
    const Bytes bytes =
        damage.damaged(inputs[damage.below(inputs.size())], inputs[damage.below(inputs.size())]);
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    run(bytes);
  }
  std::filesystem::remove(path);
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: %s folder [seconds]\n", argv[0]);
    return 2;
  }
  constexpr long kMaxMemory = 2L << 20;  // [kB], sanitizers included
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Bytes> inputs;
  for (const auto& path : files) {
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    run(inputs.back());
  }
  if (argc == 3 && !inputs.empty())
    std::printf("%zu damaged inputs\n", run_damaged(inputs, std::atof(argv[2])));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%zu inputs, %ld MB at most\n", files.size(), usage.ru_maxrss / 1024);
  return !files.empty() && usage.ru_maxrss < kMaxMemory ? 0 : 1;
}
