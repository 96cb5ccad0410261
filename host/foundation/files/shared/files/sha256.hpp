// SHA-256 of a text or of streamed bytes, to identify an input file while it is read.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

#pragma GCC visibility push(default)
namespace heft {

/// A SHA-256 digest of streamed bytes.
class Sha256 {
 public:
  Sha256();
  void update(const char* bytes, std::size_t size);

  /// Returns 64 lower-case hexadecimal digits of all bytes so far; must be the last call. Empty if
  /// the library failed.
  std::string hex_digest();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
  bool ok_ = false;
};

/// Returns 64 lower-case hexadecimal digits of all bytes of a text.
std::string sha256_of(std::string_view text);

}  // namespace heft
#pragma GCC visibility pop
