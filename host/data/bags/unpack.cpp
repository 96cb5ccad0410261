#include "unpack.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "byte_file.hpp"

#ifdef HEFT_HAS_LIBLZ4
#include <lz4frame.h>
#endif
#ifdef HEFT_HAS_LIBZSTD
#include <zstd.h>
#endif

namespace heft::bags {

namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 22;

Error damaged(const std::string& where, std::string_view method, const std::string& reason) {
  return {where, fmt::format("its {}-compressed data are damaged: {}", method, reason),
          "copy the file again; for MCAP, recover the intact part with mcap recover IN -o OUT"};
}

[[maybe_unused]] Error without_library(const std::string& where, const char* method,
                                       const char* package) {
  return {
      where, fmt::format("is compressed with {}, which this program was built without", method),
      fmt::format(
          "install {} and build again, or rewrite the file: mcap compress --compression none IN -o "
          "OUT; ros2 bag convert",
          package)};
}

/// Grows the buffer up to `limit` + 1 bytes; the last one detects an excess.
std::size_t grow(std::vector<char>& bytes, std::size_t used, std::size_t limit) {
  if (used == bytes.size()) bytes.resize(std::min(std::max(kFirstBytes, 2 * used), limit + 1));
  return bytes.size() - used;
}

#ifdef HEFT_HAS_LIBLZ4
Result<Done> unpack_lz4(std::string_view packed, std::size_t size, std::vector<char>& bytes,
                        const std::string& where) {
  LZ4F_dctx* made = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION)))
    return Error{where, "not enough memory to decompress it", "free memory and retry"};
  const std::unique_ptr<LZ4F_dctx, LZ4F_errorCode_t (*)(LZ4F_dctx*)> context(
      made, LZ4F_freeDecompressionContext);
  std::size_t used = 0, at = 0, hint = 1;
  while ((at < packed.size() || hint > 0) && used <= size) {
    std::size_t room = grow(bytes, used, size), left = packed.size() - at;
    hint = LZ4F_decompress(context.get(), bytes.data() + used, &room, packed.data() + at, &left,
                           nullptr);
    if (LZ4F_isError(hint)) return damaged(where, "lz4", LZ4F_getErrorName(hint));
    used += room;
    at += left;
    if (room == 0 && left == 0) break;
  }
  bytes.resize(used);
  if (hint != 0 && used <= size) return damaged(where, "lz4", "they end early");
  return Done{};
}
#endif

#ifdef HEFT_HAS_LIBZSTD
Result<Done> unpack_zstd(std::string_view packed, std::size_t limit, std::vector<char>& bytes,
                         const std::string& where) {
  thread_local const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(
      ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  std::size_t used = 0, hint = 1;
  const unsigned long long declared = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (declared <= std::min(kFirstBytes, limit)) bytes.resize(static_cast<std::size_t>(declared));
  while ((input.pos < input.size || hint > 0) && used <= limit) {
    ZSTD_outBuffer output{bytes.data(), 0, 0};
    output.size = grow(bytes, used, limit);
    output.dst = bytes.data() + used;
    const std::size_t before = input.pos;
    hint = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(hint)) return damaged(where, "zstd", ZSTD_getErrorName(hint));
    used += output.pos;
    if (output.pos == 0 && input.pos == before) break;
  }
  bytes.resize(used);
  if (hint != 0 && used <= limit) return damaged(where, "zstd", "they end early");
  return Done{};
}
#endif

}  // namespace

Result<Done> unpack(std::string_view method, std::string_view packed, std::size_t size,
                    std::vector<char>& bytes, const std::string& where) {
  bytes.clear();
  if (method == "lz4") {
#ifdef HEFT_HAS_LIBLZ4
    HEFT_CHECK(unpack_lz4(packed, size, bytes, where));
#else
    return without_library(where, "lz4", "liblz4-dev");
#endif
  } else if (method == "zstd") {
#ifdef HEFT_HAS_LIBZSTD
    HEFT_CHECK(unpack_zstd(packed, size, bytes, where));
#else
    return without_library(where, "zstd", "libzstd-dev");
#endif
  } else {
    return Error{where, fmt::format("is compressed with '{}', which is not supported", method),
                 "rewrite it with zstd or lz4: mcap compress IN -o OUT"};
  }
  if (bytes.size() != size)
    return damaged(
        where, method,
        fmt::format("{} bytes are declared, but {}{} are present", size,
                    bytes.size() > size ? "more than " : "", std::min(bytes.size(), size)));
  return Done{};
}

Result<Done> unpack_message(Message& message, const std::string& where, std::vector<char>& bytes) {
  if (!message.data.starts_with(kZstdMagic)) return Done{};
  bytes.clear();
#ifdef HEFT_HAS_LIBZSTD
  constexpr std::size_t kLargest = std::size_t{1} << 28;
  HEFT_CHECK(unpack_zstd(message.data, kLargest, bytes, where));
  if (bytes.size() > kLargest)
    return Error{where, fmt::format("a message unpacks to more than {} MB", kLargest >> 20),
                 "no topic of numbers has such messages: record it again"};
  message.data = {bytes.data(), bytes.size()};
  return Done{};
#else
  return without_library(where, "zstd", "libzstd-dev");
#endif
}

Result<Done> unpack_zstd_file(const std::string& path, [[maybe_unused]] int descriptor,
                              [[maybe_unused]] unsigned long long limit) {
#ifdef HEFT_HAS_LIBZSTD
  HEFT_TRY(file, ByteFile::open(path));
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        ZSTD_freeDCtx);
  std::vector<char> packed(ZSTD_DStreamInSize()), bytes(ZSTD_DStreamOutSize());
  unsigned long long written = 0;
  std::size_t hint = 0;
  for (std::uint64_t at = 0; at < file.size();) {
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(packed.size(), file.size() - at));
    HEFT_CHECK(file.read(at, packed.data(), count));
    at += count;
    ZSTD_inBuffer input{packed.data(), count, 0};
    for (bool is_full = false; input.pos < input.size || is_full;) {
      ZSTD_outBuffer output{bytes.data(), bytes.size(), 0};
      hint = ZSTD_decompressStream(context.get(), &output, &input);
      if (ZSTD_isError(hint)) return damaged(path, "zstd", ZSTD_getErrorName(hint));
      is_full = output.pos == output.size;
      written += output.pos;
      if (written > limit)
        return Error{path, fmt::format("unpacks to more than {} MB", limit >> 20),
                     "unpack it on a disk with enough room (zstd -d), and name the unpacked file"};
      for (std::size_t done = 0; done < output.pos;) {
        const ssize_t now = ::write(descriptor, bytes.data() + done, output.pos - done);
        if (now <= 0)
          return Error{path, "cannot be unpacked: the folder for temporary files is full",
                       "set TMPDIR to a folder with more room, or unpack it (zstd -d)"};
        done += static_cast<std::size_t>(now);
      }
    }
  }
  if (hint != 0) return damaged(path, "zstd", "they end early");
  return Done{};
#else
  return without_library(path, "zstd", "libzstd-dev");
#endif
}

}  // namespace heft::bags
