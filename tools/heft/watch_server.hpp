// heft watch --serve: a page, its server-sent events and Prometheus metrics, read only.
//
//   /         the page
//   /events   lines, curves and answers as they come (text/event-stream)
//   /metrics  Prometheus text format 0.0.4
//
// On the loopback, any program on this machine may read; requests under another host name are
// refused, so that pages of other origins cannot read. Other addresses require a token.
#pragma once

#include <memory>
#include <string>

#include "heft/base/result.hpp"
#include "predict/identified_model.hpp"
#include "tools/heft/live_view.hpp"

namespace heft::tools {

/// Where a server listens.
struct ServeAddress {
  std::string host = "127.0.0.1";
  int port = 0;  ///< 0: any free port
  bool is_loopback = true;
};

/// Reads "PORT" or "ADDRESS:PORT"; IPv6 addresses are in brackets. Error: any other form.
Result<ServeAddress> serve_address(const std::string& text);

/// Returns the page with its constant data: robot, channels, identified bodies and columns.
/// Errors: those of read_result_document.
Result<std::string> watch_page(const std::string& model, const IdentifiedModel& identified);

/// Returns the text of /metrics.
std::string watch_metrics(const LiveTotals& totals, double idle_s,
                          const IdentifiedModel& identified);

/// Returns the data of the event `answer`: certified, bodies and columns.
std::string answer_json(const WatchAnswer& answer, const IdentifiedModel& identified);

class WatchServer {
 public:
  /// Starts to serve, in threads of its own. `view` and `identified` must outlive the server.
  /// Errors: an address that is in use or not of this machine; a build without cpp-httplib.
  static Result<std::unique_ptr<WatchServer>> start(const ServeAddress& address, std::string page,
                                                    const LiveView& view,
                                                    const IdentifiedModel& identified);
  virtual ~WatchServer() = default;  ///< ends all connections
  /// Address of the page, with the token if one is needed.
  virtual std::string url() const = 0;
};

}  // namespace heft::tools
