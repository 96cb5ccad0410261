#include "tools/heft/watch_server.hpp"

namespace heft::tools {

Result<std::unique_ptr<WatchServer>> WatchServer::start(const ServeAddress&, std::string,
                                                        const LiveView&, const IdentifiedModel&) {
  return Error{"--serve", "needs cpp-httplib, but this heft was built without it",
               "install libcpp-httplib-dev and build again, or read the lines on standard output"};
}

}  // namespace heft::tools
