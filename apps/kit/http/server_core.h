// The internals of HttpServer, for its source files.
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
  // In the stage `idle` a connection is between requests. In the stage `linger` all bytes are sent, and the server
  // waits until the client closes the connection.
  enum class Stage : std::uint8_t { idle, head, body, working, writing, linger, gone };

  struct Connection {
    std::uint64_t id;
    std::string from;
    std::string network;
    std::unique_ptr<net::ByteStream> stream;
    net::Wait wait;
    Stage stage = Stage::idle;
    Time deadline{};
    bool in_turn = false;  // true while turn() of the connection is on the stack
    bool again = false;    // true if the next step need not wait for the system
    bool ended = false;    // true if the client will send no more
    bool spoke = false;    // true once an admitted request has come
    bool keep = true;      // true if further requests may follow this one
    std::string input{};   // received bytes that are not used yet
    std::optional<RequestReader> reader{};
    std::string out{};
    std::size_t sent = 0;
    std::uint64_t discarded = 0;
    // The members below are about the request under way.
    std::uint64_t request = 0;  // number of the request on this connection
    Request found{};
    const Route* route = nullptr;
    std::string pattern{};
    bool head_only = false;
    Time began{};
    unsigned status = 0;     // status of the answer; 0 once the metrics count the answer
    std::size_t handed = 0;  // bytes of the body that the handler now holds
    std::weak_ptr<Responder::State> responder{};
    // The number of bytes that this connection adds to held_.
    std::size_t held = 0;
    Time held_since{};
  };
  using Connections = std::unordered_map<std::uint64_t, std::unique_ptr<Connection>>;

  // The functions below handle new connections; they are in server.cc.
  [[nodiscard]] Time now() const { return config_.now ? config_.now() : net::Clock::now(); }
  bool make_room(const std::string& network);
  void wake_by(Time time);

  // The functions below are the steps of a connection; they are in serve.cc.
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

  // The functions below end connections; they are in server.cc.
  void refuse(Connection& connection, const Problem& problem);
  void client_left(Connection& connection, bool heard);
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
  std::string scratch_;  // buffer for one read
  std::string date_;
  std::time_t date_of_ = -1;  // the Unix time, in seconds, that date_ shows
  bool stopping_ = false;
  Time stop_by_ = Time::max();
  net::Wait timer_;
  Time wake_ = Time::max();  // time for which the timer is set
};

}  // namespace sotto::apps
