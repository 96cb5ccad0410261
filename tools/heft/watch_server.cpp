#include "tools/heft/watch_server.hpp"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

namespace heft::tools {

namespace {

constexpr std::size_t kThreads = 12;
constexpr int kMostReaders = 8;  // of events; the other threads answer requests
constexpr int kPatienceS = 2;    // for a client that does not read or write
constexpr std::chrono::seconds kHeartbeat(5);

/// Returns 128 random bits as hexadecimal digits; empty if the system provides none.
std::string random_token() {
  std::array<unsigned char, 16> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Compares in constant time, so that the time does not reveal the token.
bool are_equal(const std::string& given, const std::string& token) {
  unsigned difference = given.size() == token.size() ? 0 : 1;
  for (std::size_t k = 0; k < token.size(); ++k)
    difference |= static_cast<unsigned char>(token[k]) ^
                  static_cast<unsigned char>(k < given.size() ? given[k] : '\0');
  return difference == 0;
}

/// "localhost:8080" to "localhost".
std::string without_port(const std::string& host) {
  const auto colon = host.rfind(':');
  const bool is_port = colon != std::string::npos && host.find(']', colon) == std::string::npos &&
                       (host.starts_with('[') || host.find(':') == colon);
  return is_port ? host.substr(0, colon) : host;
}

void append_event(std::string& text, const char* name, const std::string& data) {
  text += fmt::format("event: {}\ndata: {}\n\n", name, data);
}

/// Samples as [[time, measured.., predicted..], ..].
std::string rows_json(const std::vector<double>& rows, std::size_t row_size) {
  std::string text = "[";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    text += k == 0 ? "[" : k % row_size == 0 ? "],[" : ",";
    // times have more digits than torques
    if (!std::isfinite(rows[k]))
      text += "null";
    else
      text += k % row_size == 0 ? fmt::format("{:.15g}", rows[k]) : fmt::format("{:.6g}", rows[k]);
  }
  return text + (rows.empty() ? "]" : "]]");
}

/// One client's stream of events.
class EventStream {
 public:
  EventStream(const LiveView& view, const IdentifiedModel& identified,
              std::atomic<int>& num_readers)
      : view_(view), identified_(identified), num_readers_(num_readers) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream() { --num_readers_; }

  /// Waits for news and writes it; returns false if the client is gone or does not read.
  bool write(httplib::DataSink& sink) {
    const LiveView::News news = view_.wait_for_news(cursor_);
    std::string text;
    if (!news.rows.empty()) append_event(text, "rows", rows_json(news.rows, view_.row_size()));
    if (news.answer) append_event(text, "answer", answer_json(*news.answer, identified_));
    for (const std::string& line : news.states) append_event(text, "line", line);
    for (const std::string& line : news.events) append_event(text, "line", line);
    if (news.has_ended) append_event(text, "end", "{}");
    const auto now = std::chrono::steady_clock::now();
    if (text.empty() && now - last_ > kHeartbeat) text = ":\n\n";
    if (!text.empty()) last_ = now;
    if (!text.empty() && !sink.write(text.data(), text.size())) return false;
    if (news.has_ended) sink.done();
    return true;
  }

 private:
  const LiveView& view_;
  const IdentifiedModel& identified_;
  std::atomic<int>& num_readers_;
  LiveView::Cursor cursor_;
  std::chrono::steady_clock::time_point last_;
};

class HttpServer final : public WatchServer {
 public:
  HttpServer(ServeAddress address, std::string page, const LiveView& view,
             const IdentifiedModel& identified)
      : address_(std::move(address)),
        page_(std::move(page)),
        view_(view),
        identified_(identified) {}

  ~HttpServer() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<Done> start() {
    if (!address_.is_loopback && (token_ = random_token()).empty())
      return Error{"--serve", "needs random numbers for a token, and the system provides none",
                   "serve on the loopback: --serve PORT"};
    configure();
    answer_requests();
    errno = 0;
    const bool is_any = address_.port == 0;
    const int port =
        is_any ? server_.bind_to_any_port(address_.host)
               : (server_.bind_to_port(address_.host, address_.port) ? address_.port : -1);
    if (port <= 0)
      return Error{
          "--serve",
          fmt::format("cannot listen at {}, port {}{}", address_.host, address_.port,
                      errno != 0 ? std::string(": ") + std::strerror(errno) : ""),
          "choose another port, or 0 for any free port; the address must belong to this machine"};
    address_.port = port;
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // stop() has no effect before the thread accepts connections
    for (int k = 0; k < 5000 && !server_.is_running(); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Done{};
  }

  std::string url() const override {
    const bool is_ipv6 = address_.host.find(':') != std::string::npos;
    return fmt::format("http://{}:{}/{}", is_ipv6 ? "[" + address_.host + "]" : address_.host,
                       address_.port, token_.empty() ? "" : "?token=" + token_);
  }

 private:
  void configure() {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_keep_alive_timeout(1);
    server_.set_read_timeout(kPatienceS);
    server_.set_write_timeout(kPatienceS);
    server_.set_payload_max_length(1024);
    // not SO_REUSEPORT, with which two programs would share a port
    server_.set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"}});
  }

  void answer_requests() {
    using Handled = httplib::Server::HandlerResponse;
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      const auto [status, words] = refusal(request);
      if (status == 0) return Handled::Unhandled;
      response.status = status;
      response.set_content(words, "text/plain");
      return Handled::Handled;
    });
    server_.Get("/", [this](const auto&, auto& response) {
      response.set_content(page_, "text/html; charset=utf-8");
    });
    server_.Get("/favicon.ico", [](const auto&, auto& response) { response.status = 204; });
    server_.Get("/metrics", [this](const auto&, auto& response) {
      response.set_content(watch_metrics(view_.totals(), view_.idle_s(), identified_),
                           "text/plain; version=0.0.4; charset=utf-8");
    });
    server_.Get("/events", [this](const auto&, auto& response) { stream_events(response); });
  }

  void stream_events(httplib::Response& response) {
    if (++num_readers_ > kMostReaders) {
      --num_readers_;
      response.status = 503;
      response.set_header("Retry-After", "5");
      response.set_content(fmt::format("at most {} readers\n", kMostReaders), "text/plain");
      return;
    }
    const auto stream = std::make_shared<EventStream>(view_, identified_, num_readers_);
    response.set_chunked_content_provider(
        "text/event-stream",
        [stream](std::size_t, httplib::DataSink& sink) { return stream->write(sink); });
  }

  /// Returns status and text of a refusal; status 0 if the request is allowed.
  std::pair<int, std::string> refusal(const httplib::Request& request) const {
    if (request.method != "GET" && request.method != "HEAD") return {405, "read only: GET\n"};
    if (address_.is_loopback) {
      const std::string host = without_port(request.get_header_value("Host"));
      const bool is_ours = host == address_.host || host == "[" + address_.host + "]" ||
                           host == "localhost" || host == "127.0.0.1" || host == "[::1]";
      if (!is_ours) return {403, "open the page as localhost\n"};
      return {0, ""};
    }
    const std::string header = request.get_header_value("Authorization");
    const std::string kBearer = "Bearer ";
    const std::string given = header.starts_with(kBearer) ? header.substr(kBearer.size())
                                                          : request.get_param_value("token");
    if (!are_equal(given, token_))
      return {401,
              "add ?token=.. as heft watch printed it, or the header Authorization: Bearer ..\n"};
    return {0, ""};
  }

  ServeAddress address_;
  std::string page_, token_;
  const LiveView& view_;
  const IdentifiedModel& identified_;
  std::atomic<int> num_readers_{0};
  httplib::Server server_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<WatchServer>> WatchServer::start(const ServeAddress& address,
                                                        std::string page, const LiveView& view,
                                                        const IdentifiedModel& identified) {
  auto server = std::make_unique<HttpServer>(address, std::move(page), view, identified);
  HEFT_CHECK(server->start());
  return std::unique_ptr<WatchServer>(std::move(server));
}

}  // namespace heft::tools
