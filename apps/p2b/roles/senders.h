// How reports get from an agent to the shuffler, and survivors from there to the server.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/dp/samplers.h"
#include "apps/p2b/roles/messages.h"
#include "apps/p2b/roles/report_queue.h"
#include "net/star/client.h"

namespace sotto::apps::p2b {

// Sends an agent's reports to the shuffler: many in a message, several messages on their way at once, and all that has
// no receipt yet again on a new connection when one was lost. Each report is under the user's token and a random nonce,
// so that the shuffler counts it once however often it comes.
//
// Holds at most `window` messages. Errors: NetworkError where the shuffler is not there for the config's retry_for;
// TrustError where it is not the one that is pinned; DisagreementError where it takes other terms; ProtocolError where
// it answers what is no answer; Interrupted.

inline constexpr std::chrono::seconds goodbye_within{5};  // of an agent to the roles that it asked

struct ReporterSettings {
  std::size_t reports_a_message = 512;  // 1 to most_reports_a_message
  std::size_t window = 16;              // messages on their way; at least 1
};

// What the shuffler said of all reports.
struct ReportTotals {
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;  // the shuffler tells nobody which of them count
  std::uint64_t invalid = 0;
  std::uint64_t reconnected = 0;
  bool operator==(const ReportTotals&) const = default;
};

class Reporter {
 public:
  Reporter(net::ClientConfig shuffler, ReporterSettings settings, const std::atomic<bool>& interrupted);

  // What the shuffler takes; asked for once, and again on every new connection.
  [[nodiscard]] const P2bTerms& terms();

  void add(const UserToken& user, const Tuple& tuple);
  // Returns when there is a receipt for everything.
  void finish();

  [[nodiscard]] const ReportTotals& totals() const noexcept { return totals_; }

 private:
  struct Sent {
    std::uint64_t number;
    net::Message message;
    std::uint64_t reports;
  };
  void send_pending();
  void wait_until(std::size_t in_flight);
  // Runs `what` until it succeeds, on a new connection after each that was lost.
  template <class F>
  void persist(F what);
  void connect();
  void take(const net::Message& message);

  net::ClientConfig config_;
  ReporterSettings settings_;
  const std::atomic<bool>& interrupted_;
  Coins coins_;
  std::unique_ptr<net::ServiceClient> client_;
  std::optional<P2bTerms> terms_;
  std::vector<Report> pending_;
  std::deque<Sent> sent_;
  std::uint64_t next_number_ = 1;
  bool connected_before_ = false;
  ReportTotals totals_;
};

// Brings the parts of a shuffler's batches to the server, in their order, each until the server says that it has it on
// its disk: a part is taken off the queue after that answer, and one that is sent again is known to the server by its
// name, so that each is taken exactly once.
//
// Within the loop of a service go_on() never waits; deliver_all() does. A server that is not there, or was lost, is
// tried again; what waits stays in the queue. So does go_on() with one that is not the one that is pinned, or that does
// not trust this shuffler, which is a TrustError of deliver_all(). Errors of both: DisagreementError where it has other
// terms; ProtocolError where it answers what is no answer.

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

}  // namespace sotto::apps::p2b
