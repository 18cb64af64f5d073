// The internals of HttpServer.
#pragma once

#include <cstdint>
#include <ctime>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/kit/http/listen.h"
#include "apps/kit/http/message_reader.h"
#include "apps/kit/http/router.h"
#include "net/transport/tls/context.h"

namespace sotto::apps {

class HttpServerCore : public std::enable_shared_from_this<HttpServerCore> {
 public:
  HttpServerCore(net::Io& io, HttpConfig config, Router router);
  HttpServerCore(const HttpServerCore&) = delete;
  HttpServerCore& operator=(const HttpServerCore&) = delete;
  ~HttpServerCore();

  void start();
  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  void read_token_again();
  void accept(std::unique_ptr<net::ByteStream> stream, const std::string& from, const std::string& network);
  void stop(std::chrono::milliseconds within);
  [[nodiscard]] bool stopped() const noexcept { return stopping_ && connections_.empty(); }
  void tick();
  [[nodiscard]] std::size_t connections() const noexcept { return connections_.size(); }
  [[nodiscard]] std::size_t requests() const noexcept { return working_; }
  [[nodiscard]] std::size_t held() const noexcept { return held_; }

 private:
  using Time = net::Clock::time_point;
  // In the stage `linger`, all bytes are sent, and the server waits until the client closes the connection.
  enum class Stage : std::uint8_t { idle, head, body, working, writing, linger, gone };

  struct Connection {
    std::uint64_t id;
    std::string from;
    std::string network;
    std::unique_ptr<net::ByteStream> stream;
    net::Wait wait;
    Stage stage = Stage::idle;
    Time deadline{};
    bool in_turn = false;
    bool again = false;
    bool ended = false;
    bool spoke = false;
    bool keep = true;
    std::string input{};
    std::optional<RequestReader> reader{};
    std::string out{};
    std::size_t sent = 0;
    std::uint64_t discarded = 0;
    std::uint64_t request = 0;
    Request found{};
    const Route* route = nullptr;
    std::string pattern{};
    bool head_only = false;
    Time began{};
    unsigned status = 0;  // 0 after count()
    std::size_t handed = 0;
    std::weak_ptr<Responder::State> responder{};
    std::size_t held = 0;
    Time held_since{};
  };
  using Connections = std::unordered_map<std::uint64_t, std::unique_ptr<Connection>>;

  [[nodiscard]] Time now() const { return config_.now ? config_.now() : net::Clock::now(); }
  bool make_room(const std::string& network);
  void wake_by(Time time);

  void turn(Connection& connection);
  bool step(Connection& connection);
  bool read(Connection& connection);
  bool take_request(Connection& connection);
  bool judge(Connection& connection);
  void dispatch(Connection& connection);
  void call_handler(Connection& connection, Request&& request, const Responder& responder);
  void answered(std::uint64_t id, std::uint64_t request, Answer&& answer);
  void respond(Connection& connection, const Answer& answer);
  bool flush(Connection& connection);
  bool write(Connection& connection);
  void await_request(Connection& connection);
  bool linger(Connection& connection);
  void settle(Connection& connection);
  const std::string& date();
  void count(Connection& connection);

  void refuse(Connection& connection, const Problem& problem);
  void client_left(Connection& connection, bool received);
  void set_gone(Connection& connection);
  void erase(Connection& connection);
  void look_at(Connection& connection, Time time);
  void end_of_stop(Connection& connection);
  void weigh(Connection& connection);
  void relieve();
  [[nodiscard]] std::vector<std::uint64_t> ids() const;
  template <class Do>
  void for_each(Do action);

  net::Io& io_;
  HttpConfig config_;
  Router router_;
  std::optional<TokenGuard> token_;
  std::optional<TokenGuard> reader_token_;
  std::optional<net::TlsContext> tls_;
  std::optional<net::TcpListener> tcp_;
  std::optional<UnixListener> unix_;
  std::string address_;
  std::size_t most_connections_;
  std::size_t most_lingering_;
  Connections connections_;
  std::uint64_t last_id_ = 0;
  std::size_t working_ = 0;
  std::size_t held_ = 0;
  std::string scratch_;
  std::string date_;
  std::time_t date_of_ = -1;  // Unix time in seconds for which date_ was written
  bool stopping_ = false;
  Time stop_by_ = Time::max();
  net::Wait timer_;
  Time wake_ = Time::max();
};

}  // namespace sotto::apps
