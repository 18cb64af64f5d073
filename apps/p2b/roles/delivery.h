// Brings the parts of a shuffler's batches to the server, in their order, each until the server says that it has it on
// its disk: a part is taken off the queue after that answer, and one that is sent again is known to the server by its
// name, so that each is taken exactly once.
//
// Within the loop of a service go_on() never waits; deliver_all() does. A server that is not there, or was lost, is
// tried again; what waits stays in the queue. So does go_on() with one that is not the one that is pinned, or that does
// not trust this shuffler, which is a TrustError of deliver_all(). Errors of both: DisagreementError where it has other
// terms; ProtocolError where it answers what is no answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sotto/apps/p2b/roles/report_queue.h"
#include "sotto/net/star/client.h"

namespace sotto::apps {

// Lines that a role writes to its user about what others sent: one each, as long as they are few; the rest is counted,
// so that nobody fills a disk by sending nonsense.
class SaidLines {
 public:
  static constexpr std::uint64_t most = 100;

  // `out` takes a line without its end. The default forgets them.
  explicit SaidLines(std::function<void(const std::string&)> out = {}) : out_(std::move(out)) {}

  void say(const std::string& line) {
    if (!out_ || said_ > most) return;
    out_(++said_ <= most ? line : "further lines of this kind are counted and not shown");
  }
  // One that is always written.
  void say_always(const std::string& line) const {
    if (out_) out_(line);
  }

 private:
  std::function<void(const std::string&)> out_;
  std::uint64_t said_ = 0;
};

class Delivery {
 public:
  // `io` is what the loop waits with.
  Delivery(net::Io& io, net::ClientConfig server, ReportQueue& queue, SaidLines& lines);

  // Sends and hears what can be sent and heard now.
  void go_on();

  // Until nothing is left. Throws Interrupted, and NetworkError once the server has not been there for the config's
  // retry_for.
  void deliver_all(const std::atomic<bool>& interrupted);
  // Ends the connection in order, where there is one.
  void end() noexcept;

 private:
  enum class Waits : std::uint8_t { connection, terms, nothing, answer };

  void advance();
  void step();
  void hear(const net::Message& message);
  void send_part();
  void lose(const std::string& why);

  net::Io& io_;
  net::ClientConfig config_;
  ReportQueue& queue_;
  SaidLines& lines_;
  std::unique_ptr<net::ServiceClient> client_;
  Waits waits_ = Waits::connection;
  PartName sent_;
  net::Clock::time_point retry_at_{};
  bool told_ = false;  // that the server is not there
  std::string last_loss_;
};

}  // namespace sotto::apps
