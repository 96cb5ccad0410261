// Division of pieces into transfers: small ones, except for pieces so large that blocks would be
// idle.
#include "kernels/moments/transfer.hpp"

#include <gtest/gtest.h>

namespace heft::cuda {
namespace {

/// Pieces of a hundred samples of one job, whose samples are a column each and whose results are
/// ten doubles.
struct Work {
  std::vector<RowArray> rows{RowArray(10'000, 1)};
  std::vector<InputColumns> sources{InputColumns(rows)};
  std::vector<StreamJob> jobs{
      StreamJob{.kernel = Kernel::given_rows, .source = 0, .fixed_result = 10}};
  std::vector<Piece> pieces;

  static constexpr std::int64_t kPieceBytes = 8 * (100 + 10);

  explicit Work(int num_pieces) {
    for (int k = 0; k < num_pieces; ++k) pieces.push_back({0, 100 * k, 100, k, 0, 1});
  }
  std::vector<std::size_t> lengths(const TransferSize& size) const {
    std::vector<std::size_t> lengths;
    for (const Transfer& transfer : cut_transfers(sources, jobs, pieces, size))
      lengths.push_back(transfer.pieces.size());
    return lengths;
  }
};

TEST(Transfers, TakeAsMuchAsFits) {
  EXPECT_EQ(Work(7).lengths({.num_bytes = 3 * Work::kPieceBytes, .num_pieces = 1}),
            (std::vector<std::size_t>{3, 3, 1}));
  EXPECT_EQ(Work(7).lengths({.num_bytes = 3 * Work::kPieceBytes - 1, .num_pieces = 1}),
            (std::vector<std::size_t>{2, 2, 2, 1}));
}

TEST(Transfers, GrowUntilTheDeviceIsBusy) {
  EXPECT_EQ(Work(11).lengths({.num_bytes = 3 * Work::kPieceBytes, .num_pieces = 5}),
            (std::vector<std::size_t>{5, 5, 1}));
}

TEST(Transfers, GrowToFourTimesTheirSize) {
  EXPECT_EQ(Work(30).lengths({.num_bytes = 3 * Work::kPieceBytes, .num_pieces = 100}),
            (std::vector<std::size_t>{12, 12, 6}));
}

TEST(Transfers, TakeOnePieceAtLeast) {
  EXPECT_EQ(Work(3).lengths({.num_bytes = 1, .num_pieces = 100}),
            (std::vector<std::size_t>{1, 1, 1}));
}

}  // namespace
}  // namespace heft::cuda
