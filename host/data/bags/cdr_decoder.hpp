#pragma once

#include <memory>

#include "bags/decoder.hpp"

namespace heft::bags {

Result<std::unique_ptr<Decoder>> make_cdr_decoder(const Topic& topic);
Result<std::unique_ptr<Decoder>> make_json_decoder(const Topic& topic);
Result<std::unique_ptr<Decoder>> make_protobuf_decoder(const Topic& topic);

}  // namespace heft::bags
