// Replays inputs through one entry function without a fuzzer: `<target>_replay folder`. Runs every
// file of the folder, in the order of names; after a crash, the last printed name is the cause.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s folder\n", argv[0]);
    return 2;
  }
  constexpr long kMaxMemory = 2L << 20;  // [kB], sanitizers included
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%zu inputs, %ld MB at most\n", files.size(), usage.ru_maxrss / 1024);
  return !files.empty() && usage.ru_maxrss < kMaxMemory ? 0 : 1;
}
