#include "files/sha256.hpp"

#include <openssl/evp.h>

#include <array>

namespace heft {

namespace {

/// Looked up once, because each lookup by name takes a lock.
const EVP_MD* method() {
#if OPENSSL_VERSION_MAJOR >= 3
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched;
#else
  return EVP_sha256();
#endif
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  ok_ = context_ && EVP_DigestInit_ex(context_.get(), method(), nullptr) == 1;
}

void Sha256::update(const char* bytes, std::size_t size) {
  ok_ = ok_ && EVP_DigestUpdate(context_.get(), bytes, size) == 1;
}

std::string Sha256::hex_digest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (!ok_ || EVP_DigestFinal_ex(context_.get(), digest.data(), &size) != 1) return {};
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int k = 0; k < size; ++k) {
    hex += kDigits[digest[k] >> 4];
    hex += kDigits[digest[k] & 15];
  }
  return hex;
}

std::string sha256_of(std::string_view text) {
  Sha256 sha;
  sha.update(text.data(), text.size());
  return sha.hex_digest();
}

}  // namespace heft
