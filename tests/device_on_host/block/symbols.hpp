// Names of kernels.
#pragma once

#include <string>

namespace heft::device_on_host {

/// `symbol` without the part that differs between two compilations of the same file: names of what
/// is local to it carry a hash.
std::string without_hash(const std::string& symbol);

/// The name in the source, with template arguments: moments_fp64_kernel,
/// solve_semismooth_kernel<32, true>.
std::string plain_name(const std::string& symbol);

}  // namespace heft::device_on_host
