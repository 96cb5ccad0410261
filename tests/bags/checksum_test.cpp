#include "host/data/bags/checksum.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "base/random_stream.hpp"

namespace heft::bags {
namespace {

TEST(Checksum, EqualsThatOfZlibForAllLengthsAndAlignments) {
  RandomStream random(3);
  std::vector<char> bytes(1200);
  for (char& byte : bytes) byte = static_cast<char>(random.uniform(-128, 128));
  for (std::size_t begin = 0; begin < 20; ++begin)
    for (std::size_t size = 0; begin + size <= bytes.size(); ++size)
      ASSERT_EQ(checksum(bytes.data() + begin, size),
                crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data() + begin), size))
          << begin << " " << size;
}

}  // namespace
}  // namespace heft::bags
