// Every instruction that the translator knows, compared with C++ or arithmetic of more digits on
// the same numbers. instructions/make_ptx.py makes the kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "tests/device_on_host/kernel_run.hpp"

namespace heft::device_on_host {

const Module& module_instructions();

namespace {

using std::int16_t, std::int32_t, std::int64_t, std::uint16_t, std::uint32_t, std::uint64_t;
using Wide = __int128;

constexpr std::size_t kThreads = 256;

template <class T>
T from_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Numbers of all sizes; ends of ranges, zeros, infinities, NaN and numbers below the normal ones
/// among them.
template <class T>
std::vector<T> numbers(uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(seed);
  std::vector<T> edges = {T(0), T(1), T(2), Limits::max(), Limits::lowest(), T(31), T(32), T(63)};
  if constexpr (std::is_floating_point_v<T>)
    for (const T x :
         {T(-0.0), T(-1), T(0.5), T(1.5), T(2.5), T(-2.5), T(3e9), T(-3e9), Limits::infinity(),
          -Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), Limits::min()})
      edges.push_back(x);
  std::vector<T> result;
  while (result.size() < kThreads) {
    const uint64_t kind = random() % 4;
    if (kind == 0)
      result.push_back(edges[random() % edges.size()]);
    else if (kind == 1 || std::is_floating_point_v<T>)
      result.push_back(
          std::is_floating_point_v<T>
              ? static_cast<T>(std::ldexp(static_cast<double>(random() >> 11) / 9e15 - 0.5,
                                          static_cast<int>(random() % 60) - 25))
              : static_cast<T>(random() % 40));
    else
      result.push_back(static_cast<T>(random()));
  }
  return result;
}

/// The operand k of kernel `name` is drawn from numbers<T>(k + 1).
template <class T>
std::vector<T> operands(int k) {
  return numbers<T>(static_cast<uint64_t>(k) + 1);
}

std::set<std::string>& tested() {
  static std::set<std::string> names;
  return names;
}

template <class R, class... Ts>
std::vector<R> results_of(const std::string& name, const std::vector<Ts>&... values) {
  tested().insert(name);
  DeviceArray out(kThreads * sizeof(R));
  const auto run = [&](const auto&... arrays) {
    std::vector<uint64_t> parameters = {out.address(), arrays.address()...};
    parameters.resize(4, 0);
    EXPECT_TRUE(run_kernel(module_instructions(), name, {}, {kThreads}, parameters)) << name;
  };
  run(DeviceArray(values)...);
  for (const std::string& finding : findings().take()) ADD_FAILURE() << finding;
  return out.read<R>(kThreads);
}

template <class R>
bool are_same(R a, R b) {
  if constexpr (std::is_floating_point_v<R>)
    if (std::isnan(a) && std::isnan(b)) return true;
  return std::memcmp(&a, &b, sizeof(R)) == 0;
}

template <class R, class... Ts, std::size_t... k>
void expect_each(const std::string& name, const std::function<R(Ts...)>& expected,
                 std::index_sequence<k...>) {
  const std::tuple<std::vector<Ts>...> values{operands<Ts>(static_cast<int>(k))...};
  const std::vector<R> results = results_of<R>(name, std::get<k>(values)...);
  for (std::size_t i = 0; i < kThreads; ++i) {
    const R e = expected(std::get<k>(values)[i]...);
    ASSERT_TRUE(are_same(results[i], e))
        << name << ", thread " << i << ": " << results[i] << ", not " << e << ", of "
        << ::testing::PrintToString(std::tuple(std::get<k>(values)[i]...));
  }
}

/// Each thread's result is `expected` of its operands.
template <class R, class... Ts>
void expect(const std::string& name, R (*expected)(Ts...)) {
  expect_each(name, std::function<R(Ts...)>(expected), std::index_sequence_for<Ts...>());
}
template <class F>
void expect(const std::string& name, F expected) {
  expect(name, +expected);
}

template <class T>
constexpr int kBits = 8 * sizeof(T);

/// `value` modulo 2^bits.
template <class T>
T wrapped(Wide value) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value));
}

template <class T>
void expect_integer_arithmetic(const std::string& t) {
  expect("add_" + t, [](T a, T b) { return wrapped<T>(Wide{a} + b); });
  expect("sub_" + t, [](T a, T b) { return wrapped<T>(Wide{a} - b); });
  expect("min_" + t, [](T a, T b) { return a < b ? a : b; });
  expect("max_" + t, [](T a, T b) { return a < b ? b : a; });
  expect("div_" + t,
         [](T a, T b) { return b == 0 ? static_cast<T>(-1) : wrapped<T>(Wide{a} / b); });
  expect("rem_" + t, [](T a, T b) { return b == 0 ? a : wrapped<T>(Wide{a} % b); });
  expect("mul_lo_" + t, [](T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  });
  expect("mul_hi_" + t, [](T a, T b) {  // in halves
    constexpr int kHalf = kBits<T> / 2;
    const Wide low = b & static_cast<T>((T(1) << kHalf) - 1), high = b >> kHalf;
    return static_cast<T>((((Wide{a} * low) >> kHalf) + Wide{a} * high) >> kHalf);
  });
  expect("mad_lo_" + t, [](T a, T b, T c) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) +
                          static_cast<uint64_t>(c));
  });
  expect("mov_" + t, [](T a) { return a; });
  expect("selp_" + t, [](T a, T b, uint32_t c) { return c != 0 ? a : b; });
  expect("shr_" + t, [](T a, uint32_t by) {
    Wide result = a;
    for (uint32_t k = 0; k < by && k < 64; ++k) result >>= 1;  // one at a time, with the sign
    return static_cast<T>(result);
  });
}

template <class T, class W>
void expect_wide(const std::string& t) {
  expect("mul_wide_" + t, [](T a, T b) { return static_cast<W>(Wide{a} * b); });
  expect("mad_wide_" + t, [](T a, T b, W c) { return wrapped<W>(Wide{a} * b + c); });
}

template <class T>
void expect_bits(const std::string& t) {
  expect("and_" + t, [](T a, T b) { return static_cast<T>(a & b); });
  expect("or_" + t, [](T a, T b) { return static_cast<T>(a | b); });
  expect("xor_" + t, [](T a, T b) { return static_cast<T>((a | b) - (a & b)); });
  expect("not_" + t, [](T a) { return static_cast<T>(std::numeric_limits<T>::max() - a); });
  expect("shl_" + t, [](T a, uint32_t by) {
    T result = a;
    for (uint32_t k = 0; k < by && k < 64; ++k) result = static_cast<T>(result + result);
    return result;
  });
}

template <class T>
void expect_sign(const std::string& t) {
  expect("neg_" + t, [](T a) { return wrapped<T>(-Wide{a}); });
  expect("abs_" + t, [](T a) { return wrapped<T>(a < 0 ? -Wide{a} : Wide{a}); });
}

TEST(Instructions, IntegerArithmetic) {
  expect_integer_arithmetic<uint16_t>("u16");
  expect_integer_arithmetic<uint32_t>("u32");
  expect_integer_arithmetic<uint64_t>("u64");
  expect_integer_arithmetic<int16_t>("s16");
  expect_integer_arithmetic<int32_t>("s32");
  expect_integer_arithmetic<int64_t>("s64");
  expect_wide<uint16_t, uint32_t>("u16");
  expect_wide<uint32_t, uint64_t>("u32");
  expect_wide<int16_t, int32_t>("s16");
  expect_wide<int32_t, int64_t>("s32");
  expect_bits<uint16_t>("u16");
  expect_bits<uint32_t>("u32");
  expect_bits<uint64_t>("u64");
  expect_sign<int16_t>("s16");
  expect_sign<int32_t>("s32");
  expect_sign<int64_t>("s64");
}

TEST(Instructions, CarriesMakeNumbersOfHalves) {
  expect("add_with_carry", [](uint64_t a, uint64_t b) { return a + b; });
  expect("sub_with_borrow", [](uint64_t a, uint64_t b) { return a - b; });
  expect("product_with_carry", [](uint64_t a, uint64_t b) { return a * b; });
  expect("upper_product", [](uint64_t a, uint64_t b) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
  });
  expect("carry_out", [](uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t carry = (uint64_t{a} + b) >> 32;
    return static_cast<uint32_t>((uint64_t{a} + c + carry) >> 32);
  });
  expect("borrow_out", [](uint32_t a, uint32_t b, uint32_t c) {
    const int64_t borrow = a < b;
    return int64_t{a} - int64_t{c} - borrow < 0 ? 0xFFFFFFFFu : 0u;  // 0 - 0 - borrow
  });
}

/// Bit k of `a`, of no bits beyond its end.
template <class T>
bool bit(T a, uint32_t k) {
  return k < static_cast<uint32_t>(kBits<T>) && (static_cast<std::make_unsigned_t<T>>(a) >> k & 1);
}

template <class T>
void expect_fields(const std::string& t) {
  expect("bfe_" + t, [](T a, uint32_t at, uint32_t length) {
    at &= 255, length &= 255;
    std::make_unsigned_t<T> result = 0;
    const uint32_t top = std::min<uint32_t>(at + length - 1, kBits<T> - 1);
    for (uint32_t k = 0; k < static_cast<uint32_t>(kBits<T>); ++k) {
      bool is_set = std::is_signed_v<T> && length > 0 && bit(a, top);
      if (k < length && at + k < static_cast<uint32_t>(kBits<T>)) is_set = bit(a, at + k);
      if (is_set) result += static_cast<std::make_unsigned_t<T>>(1) << k;
    }
    return static_cast<T>(result);
  });
}

template <class T>
void expect_counts(const std::string& t) {
  expect("bfi_" + t, [](T a, T b, uint32_t c) {
    const uint32_t at = c & 255, length = c >> 8 & 255;
    T result = 0;
    for (uint32_t k = 0; k < static_cast<uint32_t>(kBits<T>); ++k)
      if (k >= at && k < at + length ? bit(a, k - at) : bit(b, k)) result += static_cast<T>(1) << k;
    return result;
  });
  expect("clz_" + t, [](T a) {
    uint32_t zeros = 0;
    while (zeros < static_cast<uint32_t>(kBits<T>) &&
           !bit(a, static_cast<uint32_t>(kBits<T>) - 1 - zeros))
      ++zeros;
    return zeros;
  });
  expect("popc_" + t, [](T a) {
    uint32_t ones = 0;
    for (uint32_t k = 0; k < 64; ++k) ones += bit(a, k);
    return ones;
  });
  expect("brev_" + t, [](T a) {
    T result = 0;
    for (uint32_t k = 0; k < static_cast<uint32_t>(kBits<T>); ++k)
      result = static_cast<T>(2 * result + bit(a, k));
    return result;
  });
}

TEST(Instructions, Bits) {
  expect_fields<uint32_t>("u32");
  expect_fields<int32_t>("s32");
  expect_fields<uint64_t>("u64");
  expect_fields<int64_t>("s64");
  expect_counts<uint32_t>("u32");
  expect_counts<uint64_t>("u64");
  expect("shf_l_wrap", [](uint32_t a, uint32_t b, uint32_t c) {
    return static_cast<uint32_t>(((static_cast<uint64_t>(b) << 32 | a) << (c % 32)) >> 32);
  });
  expect("shf_r_wrap", [](uint32_t a, uint32_t b, uint32_t c) {
    return static_cast<uint32_t>((static_cast<uint64_t>(b) << 32 | a) >> (c % 32));
  });
  expect("shf_l_clamp", [](uint32_t a, uint32_t b, uint32_t c) {
    return c >= 32 ? a : static_cast<uint32_t>(((static_cast<uint64_t>(b) << 32 | a) << c) >> 32);
  });
  expect("shf_r_clamp", [](uint32_t a, uint32_t b, uint32_t c) {
    return c >= 32 ? b : static_cast<uint32_t>((static_cast<uint64_t>(b) << 32 | a) >> c);
  });
  expect("lop3", [](uint32_t a, uint32_t b, uint32_t c) { return a ^ b ^ c; });
  expect("lop3_select", [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); });
  expect("prmt", [](uint32_t a, uint32_t b, uint32_t selector) {
    const uint32_t words[2] = {a, b};
    uint32_t result = 0;
    for (int k = 3; k >= 0; --k) {
      const uint32_t choice = selector / (1u << 4 * k) % 16, at = choice % 8;
      uint32_t byte = words[at / 4] / (1u << 8 * (at % 4)) % 256;
      if (choice >= 8) byte = byte >= 128 ? 255 : 0;
      result = 256 * result + byte;
    }
    return result;
  });
}

/// The floating-point comparisons by name; with NaN those that end in u are true.
template <class T>
bool compares(const std::string& relation, T a, T b) {
  const bool is_unordered = std::isnan(a) || std::isnan(b);
  if (relation == "num") return !is_unordered;
  if (relation == "nan") return is_unordered;
  if (is_unordered) return relation.size() == 3;
  const std::string plain = relation.substr(0, 2);
  const int order = a < b ? -1 : a > b ? 1 : 0;
  if (plain == "eq") return order == 0;
  if (plain == "ne") return order != 0;
  if (plain == "lt" || plain == "lo") return order < 0;
  if (plain == "le" || plain == "ls") return order <= 0;
  if (plain == "gt" || plain == "hi") return order > 0;
  return order >= 0;
}

template <class T>
void expect_comparisons(const std::string& t, const std::vector<std::string>& relations) {
  for (const std::string& relation : relations)
    expect_each("setp_" + relation + "_" + t,
                std::function<uint32_t(T, T)>([&](T a, T b) -> uint32_t {
                  if constexpr (std::is_floating_point_v<T>)
                    return compares(relation, a, b);
                  else  // exact in long double
                    return compares<long double>(relation, static_cast<long double>(a),
                                                 static_cast<long double>(b));
                }),
                std::index_sequence_for<T, T>());
}

TEST(Instructions, Comparisons) {
  const std::vector<std::string> of_unsigned = {"eq", "ne", "lo", "ls", "hi", "hs"},
                                 of_signed = {"eq", "ne", "lt", "le", "gt", "ge"},
                                 of_floats = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                              "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  expect_comparisons<uint16_t>("u16", of_unsigned);
  expect_comparisons<uint32_t>("u32", of_unsigned);
  expect_comparisons<uint64_t>("u64", of_unsigned);
  expect_comparisons<int16_t>("s16", of_signed);
  expect_comparisons<int32_t>("s32", of_signed);
  expect_comparisons<int64_t>("s64", of_signed);
  expect_comparisons<float>("f32", of_floats);
  expect_comparisons<double>("f64", of_floats);
  expect("setp_combined", [](uint32_t a, uint32_t b, uint32_t c) -> uint32_t {
    return c < 1000 ? (a < b ? 1 : 2) : 0;
  });
  expect("and_pred", [](uint32_t a, uint32_t b) -> uint32_t { return a < 1000 && b < 1000; });
  expect("or_pred", [](uint32_t a, uint32_t b) -> uint32_t { return a < 1000 || b < 1000; });
  expect("xor_pred", [](uint32_t a, uint32_t b) -> uint32_t { return (a < 1000) != (b < 1000); });
  expect("not_pred", [](uint32_t a, uint32_t) -> uint32_t { return a >= 1000; });
  expect("mov_pred", [](uint32_t a, uint32_t) -> uint32_t { return a < 1000; });
}

/// Rounded once from more digits: long double holds the sum and the product of two floats, and of
/// doubles what is rounded twice is caught by the error-free sums below.
template <class T>
void expect_floating_point(const std::string& t) {
  using Limits = std::numeric_limits<T>;
  for (const std::string dot : {"", "_rn"}) {
    expect("add" + dot + "_" + t, [](T a, T b) { return a + b; });
    expect("mul" + dot + "_" + t, [](T a, T b) { return a * b; });
  }
  expect("sub_" + t, [](T a, T b) { return -(b - a); });
  expect("div_rn_" + t, [](T a, T b) { return a / b; });
  expect("fma_rn_" + t, [](T a, T b, T c) { return std::fma(a, b, c); });
  expect("neg_" + t, [](T a) { return std::copysign(a, std::signbit(a) ? T(1) : T(-1)); });
  expect("abs_" + t, [](T a) { return std::signbit(a) ? -a : a; });
  expect("copysign_" + t, [](T a, T b) { return std::signbit(a) == std::signbit(b) ? b : -b; });
  expect("sqrt_rn_" + t, [](T a) { return std::sqrt(a); });
  expect("rcp_rn_" + t, [](T a) { return T(1) / a; });
  expect("min_" + t, [](T a, T b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  });
  expect("max_" + t, [](T a, T b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  });
  expect("mov_" + t, [](T a) { return a; });
  expect("selp_" + t, [](T a, T b, uint32_t c) { return c != 0 ? a : b; });
  expect("literal_" + t, [](T a) { return a + T(1.5); });
  // approximations: the relative error that the PTX ISA states, and its special cases
  const T tolerance = sizeof(T) == 8 ? T(1) / (1 << 19) : T(1) / (1 << 22);
  const std::vector<T> values = operands<T>(0),
                       results = results_of<T>("rcp_approx_ftz_" + t, values);
  for (std::size_t i = 0; i < kThreads; ++i) {
    const T x = values[i];
    if (std::isnan(x))
      EXPECT_TRUE(std::isnan(results[i]));
    else if (std::fabs(x) < Limits::min())
      EXPECT_EQ(results[i], std::copysign(Limits::infinity(), x));
    else if (std::fabs(1 / x) < Limits::min())
      EXPECT_EQ(results[i], 0);
    else
      EXPECT_LE(std::fabs(results[i] * x - 1), tolerance) << x;
  }
}

TEST(Instructions, FloatingPoint) {
  expect_floating_point<float>("f32");
  expect_floating_point<double>("f64");
  const std::vector<float> values = operands<float>(0),
                           results = results_of<float>("ex2_approx_ftz_f32", values);
  for (std::size_t i = 0; i < kThreads; ++i) {
    const double exact = std::exp2(static_cast<double>(values[i]));
    if (std::isnan(values[i]))
      EXPECT_TRUE(std::isnan(results[i]));
    else if (exact > std::numeric_limits<float>::max())
      EXPECT_EQ(results[i], std::numeric_limits<float>::infinity());
    else if (exact < std::numeric_limits<float>::min())
      EXPECT_EQ(results[i], 0);
    else
      EXPECT_LE(std::fabs(results[i] - exact), exact / (1 << 22)) << values[i];
  }
}

enum class Rounding { to_zero, to_nearest, down, up };

/// By the remainder to the nearest integer, which is exact.
long double rounded(long double x, Rounding rounding) {
  const long double nearest = x - std::remainder(x, 1.0L);
  switch (rounding) {
    case Rounding::down:
      return nearest > x ? nearest - 1 : nearest;
    case Rounding::up:
      return nearest < x ? nearest + 1 : nearest;
    case Rounding::to_zero:
      return rounded(x, x < 0 ? Rounding::up : Rounding::down);
    default:
      return nearest;
  }
}

/// x rounded, and kept within the range of To; NaN is 0.
template <class To, class From>
To kept(From x, Rounding rounding) {
  if (std::isnan(x)) return 0;
  const long double least = static_cast<long double>(std::numeric_limits<To>::lowest()),
                    most = static_cast<long double>(std::numeric_limits<To>::max());
  if (x < least || x > most)
    return x < 0 ? std::numeric_limits<To>::lowest() : std::numeric_limits<To>::max();
  return static_cast<To>(rounded(x, rounding));
}

TEST(Instructions, Conversions) {
  expect("cvt_s64_s32", [](int32_t a) { return static_cast<int64_t>(a); });
  expect("cvt_u64_u32", [](uint32_t a) { return static_cast<uint64_t>(a); });
  expect("cvt_u32_u64", [](uint64_t a) { return static_cast<uint32_t>(a % (uint64_t{1} << 32)); });
  expect("cvt_s32_s16", [](int16_t a) { return static_cast<int32_t>(a); });
  expect("cvt_u16_u32", [](uint32_t a) { return static_cast<uint16_t>(a % 65536); });
  expect("cvt_rn_f64_s32", [](int32_t a) { return static_cast<double>(a); });
  expect("cvt_rn_f64_u32", [](uint32_t a) { return static_cast<double>(a); });
  expect("cvt_rn_f64_s64", [](int64_t a) { return static_cast<double>(a); });
  expect("cvt_rn_f32_s32", [](int32_t a) { return static_cast<float>(a); });
  expect("cvt_rn_f32_u32", [](uint32_t a) { return static_cast<float>(a); });
  expect("cvt_rn_f32_f64", [](double a) { return static_cast<float>(a); });
  expect("cvt_f64_f32", [](float a) { return static_cast<double>(a); });
  expect("cvt_rzi_s32_f64", [](double a) { return kept<int32_t>(a, Rounding::to_zero); });
  expect("cvt_rni_s32_f64", [](double a) { return kept<int32_t>(a, Rounding::to_nearest); });
  expect("cvt_rmi_s32_f64", [](double a) { return kept<int32_t>(a, Rounding::down); });
  expect("cvt_rpi_s32_f64", [](double a) { return kept<int32_t>(a, Rounding::up); });
  expect("cvt_rzi_u32_f64", [](double a) { return kept<uint32_t>(a, Rounding::to_zero); });
  expect("cvt_rzi_s64_f64", [](double a) { return kept<int64_t>(a, Rounding::to_zero); });
  expect("cvt_rzi_s32_f32", [](float a) { return kept<int32_t>(a, Rounding::to_zero); });
  expect("cvt_rni_s32_f32", [](float a) { return kept<int32_t>(a, Rounding::to_nearest); });
  expect("cvt_rni_f32_f32", [](float a) {
    return std::isfinite(a) ? std::copysign(static_cast<float>(rounded(a, Rounding::to_nearest)), a)
                            : a;
  });
  expect("cvt_rmi_f64_f64", [](double a) {
    return std::isfinite(a) ? std::copysign(static_cast<double>(rounded(a, Rounding::down)), a) : a;
  });
}

TEST(Instructions, Branches) {
  expect("guarded", [](uint32_t a, uint32_t b) -> uint32_t { return a < b ? 1 : 8; });
  expect("branch", [](uint32_t a) { return a % 16 * (a % 16 + 1) / 2; });
  expect("call", [](uint32_t a, uint32_t b) { return a - b; });
}

TEST(Instructions, Memory) {
  expect("vector", [](uint64_t a, uint64_t b) { return a >> 32 | b << 32; });
  expect("bytes", [](uint32_t a) {
    return a % 256 +
           static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(a / 256 % 256)));
  });
  expect("generic_shared", [](uint32_t a) { return a; });
  expect("red_add", [](uint32_t a, uint32_t b) { return a + b; });
  expect("red_min", [](uint32_t a, uint32_t b) { return a < b ? a : b; });
  expect("red_max", [](uint32_t a, uint32_t b) { return a < b ? b : a; });
  expect("red_inc", [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; });
  expect("red_dec", [](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; });
  expect("red_and", [](uint32_t a, uint32_t b) { return a & b; });
  expect("red_or", [](uint32_t a, uint32_t b) { return a | b; });
  expect("red_xor", [](uint32_t a, uint32_t b) { return a ^ b; });
  expect("atom_add_f64", [](double a, double b) { return (a + b) - a; });
  expect("atom_exch", [](uint64_t a, uint64_t b) { return a ^ b; });
  expect("atom_cas", [](uint32_t a, uint32_t b, uint32_t c) { return a == b ? c : a; });
}

/// Of thread i, the lane `from` of its warp.
std::size_t in_warp(std::size_t i, std::size_t from) {
  return i / 32 * 32 + from;
}

TEST(Instructions, ShufflesAndVotes) {
  const std::vector<uint32_t> a = operands<uint32_t>(0), b = operands<uint32_t>(1);
  const auto expect_from = [&](const std::string& name, const std::function<int(int, int)>& from) {
    const std::vector<uint32_t> results = results_of<uint32_t>(name, a, b);
    for (std::size_t i = 0; i < kThreads; ++i) {
      const int lane = static_cast<int>(i % 32), source = from(lane, static_cast<int>(b[i] % 32));
      const bool is_in_range = source >= 0 && source < 32;
      const uint32_t value = a[in_warp(i, static_cast<std::size_t>(is_in_range ? source : lane))];
      EXPECT_EQ(results[i], is_in_range ? value ^ 0x80000000 : value) << name << ' ' << i;
    }
  };
  expect_from("shfl_up", [](int lane, int by) { return lane - by; });
  expect_from("shfl_down", [](int lane, int by) { return lane + by; });
  expect_from("shfl_bfly", [](int lane, int by) { return lane ^ by; });
  expect_from("shfl_idx", [](int, int by) { return by; });
  const std::vector<uint32_t> halves = results_of<uint32_t>("shfl_halves", a, b);
  for (std::size_t i = 0; i < kThreads; ++i)
    EXPECT_EQ(halves[i], a[in_warp(i, i % 32 / 16 * 16 + b[i] % 16)]);
  const std::vector<uint32_t> ballot = results_of<uint32_t>("vote_ballot", a, b),
                              all = results_of<uint32_t>("vote_all", a, b),
                              any = results_of<uint32_t>("vote_any", a, b),
                              uni = results_of<uint32_t>("vote_uni", a, b);
  for (std::size_t i = 0; i < kThreads; ++i) {
    uint32_t votes = 0, ones = 0;
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (a[in_warp(i, lane)] < b[in_warp(i, lane)]) votes += 1u << lane, ++ones;
    EXPECT_EQ(ballot[i], votes);
    EXPECT_EQ(all[i], ones == 32u);
    EXPECT_EQ(any[i], ones > 0u);
    EXPECT_EQ(uni[i], ones == 0u || ones == 32u);
  }
}

TEST(Instructions, BarriersAndCopies) {
  const std::vector<uint32_t> a = operands<uint32_t>(0);
  const std::vector<uint32_t> opposite = results_of<uint32_t>("neighbors", a),
                              next = results_of<uint32_t>("lane_neighbors", a),
                              handed = results_of<uint32_t>("write_and_print_result", a),
                              copied = results_of<uint32_t>("copies", a);
  for (std::size_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(opposite[i], a[kThreads - 1 - i]);
    EXPECT_EQ(next[i], a[in_warp(i, (i + 1) % 32)]);
    EXPECT_EQ(handed[i], i / 32 == 1 ? a[i - 32] : 0u);
    EXPECT_EQ(copied[i], a[i]);
  }
}

/// D = A B + C of 8x4, 4x8 and 8x8 matrices, exact in integers.
TEST(Instructions, MatrixProducts) {
  std::mt19937_64 random(7);
  std::vector<double> a(kThreads), b(kThreads), c(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i)
    a[i] = static_cast<double>(random() % 9) - 4, b[i] = static_cast<double>(random() % 9) - 4,
    c[i] = static_cast<double>(random() % 9) - 4;
  const std::vector<double> results = results_of<double>("mma", a, b, c);
  for (std::size_t i = 0; i < kThreads; ++i) {
    const std::size_t lane = i % 32, row = lane / 4, warp = i / 32 * 32;
    double entries[2] = {c[i], -c[i]};
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t k = 0; k < 4; ++k)
        entries[side] += a[warp + 4 * row + k] * b[warp + 4 * (2 * (lane % 4) + side) + k];
    EXPECT_EQ(results[i], entries[0] + 1024 * entries[1]);
  }
}

TEST(Instructions, EveryKernelIsTested) {
  if (::testing::UnitTest::GetInstance()->total_test_count() !=
      ::testing::UnitTest::GetInstance()->test_to_run_count())
    GTEST_SKIP() << "not all tests run";
  for (const Kernel& kernel : module_instructions().kernels)
    EXPECT_TRUE(tested().count(kernel.symbol)) << kernel.symbol;
}

}  // namespace
}  // namespace heft::device_on_host
