// Calls of one path of one role's HTTP interface, many in a request, each again until it has an answer that is none of
// "later": what breaks a connection, 503, and `pending` are no answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/kit/http/client.h"

namespace sotto::apps::lab {

// A call about an event; what it says is its lane's.
struct SoakCall {
  std::uint64_t event = 0;
  std::uint8_t step = 0;
};

class CallLane {
 public:
  struct Path {
    std::string path;        // of a list; {} stands for the event's id where it takes one call alone
    std::size_t most = 256;  // calls in a request; 1: without a body
    std::size_t connections = 4;
  };
  // The line of a call, or of a path for one call the event's id.
  using Write = std::function<std::string(const SoakCall&)>;
  // Once for each call. The answer of a call alone is {"status": code} where it has no body.
  using Heard = std::function<void(const SoakCall&, const nlohmann::json& answer)>;

  // `io` must outlive this.
  CallLane(net::Io& io, const ListenAt& role, Path path, Write write, Heard heard);
  CallLane(const CallLane&) = delete;
  CallLane& operator=(const CallLane&) = delete;

  // Not before `due`.
  void put(const SoakCall& call, net::Clock::time_point due = {});
  // Sends what is due, as far as there are connections.
  void go_on();
  // Calls without an answer.
  [[nodiscard]] std::size_t open() const noexcept { return waiting_.size() + on_their_way_; }
  [[nodiscard]] std::uint64_t again() const noexcept { return again_; }        // calls that were repeated
  [[nodiscard]] std::uint64_t answered() const noexcept { return answered_; }  // calls
  // Requests that a role took and did not answer within a minute.
  [[nodiscard]] std::uint64_t silent() const noexcept { return silent_; }

 private:
  void send(std::size_t connection, std::vector<SoakCall> calls);
  void take(const std::vector<SoakCall>& calls, const HttpResult& result);
  void repeat(const SoakCall& call);

  Path path_;
  Write write_;
  Heard heard_;
  std::multimap<net::Clock::time_point, SoakCall> waiting_;
  std::vector<std::unique_ptr<HttpClient>> clients_;
  std::vector<bool> busy_;  // by connection
  std::size_t on_their_way_ = 0;
  std::uint64_t again_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t silent_ = 0;
};

}  // namespace sotto::apps::lab
