#include "host/files/file_digest.hpp"

#include "host/files/sha256.hpp"
#include "host/files/whole_file.hpp"

namespace heft {

Result<std::string> file_digest(const std::string& path) {
  HEFT_TRY(content, read_file_whole(path));
  Sha256 digest;
  digest.update(content.data(), content.size());
  return digest.hex_digest();
}

}  // namespace heft
