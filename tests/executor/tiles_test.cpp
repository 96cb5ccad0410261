// Register tiles of every instruction set of this machine compared with sums in long double. Needs
// only the kernels themselves: tests/aarch64 runs it on another processor.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "base/widest.hpp"
#include "executor/kernels.hpp"

namespace heft {
namespace {

using cpu::TileKind;
using cpu::TileShape;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Packs at an address that whole registers may be loaded from.
template <class Real>
class Packs {
 public:
  explicit Packs(std::size_t size)
      : numbers_(static_cast<Real*>(std::aligned_alloc(64, (size * sizeof(Real) / 64 + 1) * 64))),
        size_(size) {
    for (std::size_t i = 0; i < size; ++i) numbers_[i] = static_cast<Real>(kNan);
  }
  ~Packs() { std::free(numbers_); }
  Packs(const Packs&) = delete;
  Packs& operator=(const Packs&) = delete;
  Real& operator[](std::size_t i) { return numbers_[i]; }
  Real* data() { return numbers_; }
  std::size_t size() const { return size_; }

 private:
  Real* numbers_;
  std::size_t size_;
};

/// Columns that a tile reads; all others hold NaN.
struct Columns {
  std::vector<int> left, right;
  bool has_torque;
};

Columns columns_of(const TileShape& shape) {
  const auto first = [](int count) {
    std::vector<int> columns(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) columns[static_cast<std::size_t>(i)] = i;
    return columns;
  };
  switch (shape.kind) {
    case TileKind::rectangle:
      return {first(shape.rows), first(shape.columns - shape.has_torque), shape.has_torque};
    case TileKind::pinwheel:
      return {first(4), first(4), false};
    case TileKind::triangle:
      return {first(shape.rows), {}, shape.has_torque};
    case TileKind::corner:
      return {first(7), {}, true};
    case TileKind::square:
      return {first(1), {}, false};
  }
  return {};
}

/// Every shape that a set may have.
std::vector<TileShape> shapes() {
  std::vector<TileShape> all{{TileKind::pinwheel, 4, 4, false},
                             {TileKind::corner, 7, 7, true},
                             {TileKind::square, 1, 1, false}};
  for (const bool has_torque : {false, true})
    for (int rows = 1; rows <= 8; ++rows) {
      all.push_back({TileKind::triangle, rows, rows, has_torque});
      for (int columns = 1; columns <= 8; ++columns)
        all.push_back({TileKind::rectangle, rows, columns, has_torque});
    }
  return all;
}

template <class Real>
void expect_sums(const cpu::TileSet& set, const TileShape& shape, int count,
                 std::mt19937_64& random) {
  const int lanes = set.pack_bytes / static_cast<int>(sizeof(Real));
  const cpu::TileStrides strides{9, 10, 3};
  const Columns columns = columns_of(shape);
  Packs<Real> left(static_cast<std::size_t>(lanes * strides.left * (count + 1)));
  Packs<Real> right(static_cast<std::size_t>(lanes * strides.right * (count + 1)));
  Packs<Real> torque(static_cast<std::size_t>(lanes * strides.torque * (count + 1)));
  std::normal_distribution<double> normal;
  const auto at = [&](std::ptrdiff_t stride, int p, int column, int lane) {
    return static_cast<std::size_t>((p * stride + column) * lanes + lane);
  };
  for (int p = 0; p < count; ++p)
    for (int lane = 0; lane < lanes; ++lane) {
      for (const int a : columns.left)
        left[at(strides.left, p, a, lane)] = static_cast<Real>(normal(random));
      for (const int b : columns.right)
        right[at(strides.right, p, b, lane)] = static_cast<Real>(normal(random));
      if (columns.has_torque)
        torque[at(strides.torque, p, 0, lane)] = static_cast<Real>(normal(random));
    }
  std::vector<double> sums(64, 0.5);
  set.function(shape)(left.data(), right.data(), torque.data(), strides, count, sums.data());

  // of which columns a product is, said once more
  const auto factor = [&](int b, int p, int lane) -> long double {
    const bool is_of_left = shape.kind == TileKind::triangle || shape.kind == TileKind::corner ||
                            shape.kind == TileKind::square;
    const int torque_column = shape.kind == TileKind::rectangle  ? shape.columns - 1
                              : shape.kind == TileKind::triangle ? shape.rows
                                                                 : 7;
    if (columns.has_torque && b == torque_column) return torque[at(strides.torque, p, 0, lane)];
    return is_of_left ? left[at(strides.left, p, b, lane)] : right[at(strides.right, p, b, lane)];
  };
  const double tolerance = sizeof(Real) == 4 ? 3e-6 : 1e-14;
  std::size_t k = 0;
  cpu::for_each_product(shape, [&](int a, int b) {
    long double sum = 0, size = 0;
    for (int p = 0; p < count; ++p)
      for (int lane = 0; lane < lanes; ++lane) {
        const long double x = left[at(strides.left, p, a, lane)], y = factor(b, p, lane);
        sum += x * y, size += std::abs(x * y);
      }
    EXPECT_LE(std::abs(sums[k] - 0.5L - sum), tolerance * (size + 1))
        << "kind " << static_cast<int>(shape.kind) << ", " << shape.rows << " x " << shape.columns
        << ", torque " << shape.has_torque << ", product " << a << ", " << b << " of " << count
        << " packs of " << set.pack_bytes << " bytes";
    ++k;
  });
  EXPECT_EQ(k, static_cast<std::size_t>(cpu::num_products(shape)));
}

std::vector<const cpu::LaneKernels*> kernels_here() {
  std::vector<const cpu::LaneKernels*> all{&cpu::kBaselineKernels};
#if defined(__x86_64__)
  if (processor_has_avx2()) all.push_back(&cpu::kAvx2Kernels);
  if (processor_has_avx512()) all.push_back(&cpu::kAvx512Kernels);
#endif
  return all;
}

TEST(Tiles, SumProductsOfAnyNumberOfPacks) {
  std::mt19937_64 random(1);
  for (const cpu::LaneKernels* kernels : kernels_here()) {
    int num_functions = 0;
    for (const TileShape& shape : shapes()) {
      if (!kernels->tiles[0].function(shape)) continue;
      ++num_functions;
      ASSERT_NE(kernels->tiles[1].function(shape), nullptr);
      for (const int count : {0, 1, 2, 7, 8, 9, 30}) {
        expect_sums<double>(kernels->tiles[0], shape, count, random);
        expect_sums<float>(kernels->tiles[1], shape, count, random);
      }
    }
    EXPECT_GT(num_functions, 40) << kernels->name;
  }
}

/// What the register peak is measured by does as many multiply-adds as it says.
TEST(Tiles, PeaksCountTheirProducts) {
  for (const cpu::LaneKernels* kernels : kernels_here())
    for (const int precision : {0, 1}) {
      const std::int64_t lanes = kernels->tiles[precision].pack_bytes / (precision ? 4 : 8);
      EXPECT_EQ(kernels->run_peak[precision](10), 120 * lanes);
      EXPECT_GT(kernels->run_peak_with_loads[precision](10), 0);
    }
}

/// Nothing but the shape says which products there are.
TEST(Tiles, HaveTheProductsOfTheirShape) {
  EXPECT_EQ(cpu::num_products({TileKind::rectangle, 4, 3, true}), 12);
  EXPECT_EQ(cpu::num_products({TileKind::pinwheel, 4, 4, false}), 13);
  EXPECT_EQ(cpu::num_products({TileKind::triangle, 4, 4, false}), 10);
  EXPECT_EQ(cpu::num_products({TileKind::triangle, 3, 3, true}), 9);
  EXPECT_EQ(cpu::num_products({TileKind::corner, 7, 7, true}), 13);
}

}  // namespace
}  // namespace heft
