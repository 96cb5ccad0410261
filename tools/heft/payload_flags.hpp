// Flags of `heft payload`, and its three ways: logs of one payload, a batch of payloads, a stream of samples.
#pragma once

#include <string>
#include <vector>

#include "heft/payload/files.hpp"

namespace heft::tools {

struct PayloadFlags {
  std::vector<std::string> logs, methods = {"auto"}, accepted;
  std::vector<double> pose;
  std::string shape, config, out, batch, until, model, link;
  int threads = 1;
  bool follow = false;
  double every = 0.1;  ///< [s] of the stream between updates
};

inline constexpr int kOpenPayloadDoubt =
    4;  ///< exit code of an answer with a serious doubt that nobody accepted

Result<PayloadOptions> payload_options_of(const PayloadFlags& flags);
std::vector<PayloadMethod> payload_methods_of(const std::vector<std::string>& names);

/// Reads, weighs and accepts doubts.
Result<PayloadResult> weigh_logs(const PayloadFlags& flags, const PayloadOptions& options,
                                 const PayloadShape& shape, const std::vector<Log>& logs);

/// 0, 3 without certificate, 4 with an open doubt.
int payload_exit_code(const PayloadResult& result);

/// --batch: every row of the manifest by itself; result.json of each, and a table of all.
int run_payload_batch(const PayloadFlags& flags);

/// --follow: samples from standard input, a JSON line an update on standard output; files at the end if --out is given.
int run_payload_follow(const PayloadFlags& flags);

}  // namespace heft::tools
