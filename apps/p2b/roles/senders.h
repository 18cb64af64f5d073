// Sends reports from an agent to the shuffler, and survivors from the shuffler to the server.
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

// Sends an agent's reports to the shuffler: many reports in a message, several messages on their way at once. After a
// lost connection, it sends all reports without a receipt again on a new connection. Each report has the user's token
// and a random nonce, so that the shuffler counts it once, however often it arrives.
//
// Holds at most `window` messages. Throws NetworkError if the shuffler is absent for the config's retry_for, TrustError
// if the shuffler's key is not the pinned key, and DisagreementError if the shuffler has other terms. Throws
// ProtocolError if the shuffler sends an invalid answer, and Interrupted.

inline constexpr std::chrono::seconds goodbye_within{5};  // an agent's time limit for closing its connections in order

struct ReporterSettings {
  std::size_t reports_a_message = 512;  // 1 to most_reports_a_message
  std::size_t window = 16;              // largest number of messages without a receipt; at least 1
};

// The shuffler's answers about all reports.
struct ReportTotals {
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;  // includes reports that do not count: the shuffler reveals to nobody which reports count
  std::uint64_t invalid = 0;
  std::uint64_t reconnected = 0;
  bool operator==(const ReportTotals&) const = default;
};

class Reporter {
 public:
  Reporter(net::ClientConfig shuffler, ReporterSettings settings, const std::atomic<bool>& interrupted);

  // The shuffler's terms. They are requested once, and again on every new connection.
  [[nodiscard]] const P2bTerms& terms();

  void add(const UserToken& user, const Tuple& tuple);
  // Returns when there is a receipt for every report.
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
  // Runs `what` until it succeeds, each time on a new connection if the last connection was lost.
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

// Brings the parts of a shuffler's batches to the server, in their order. A part leaves the queue only after the server
// answers that the part is on its disk. The server recognises a repeated part by its name, so it takes each part
// exactly once.
//
// In the loop of a service, go_on() never waits; deliver_all() waits. Both try an absent or lost server again; unsent
// parts stay in the queue. If the server's key is not the pinned key, or the server does not trust this shuffler,
// go_on() tries again and deliver_all() throws TrustError. Errors of both: DisagreementError if the server has other
// terms; ProtocolError if it sends an invalid answer.

// Lines that a role writes to its user about messages from others. Only the first lines are written and further lines
// are only counted, so that nobody can fill a disk by sending invalid messages.
class RateLimitedLines {
 public:
  static constexpr std::uint64_t most = 100;

  // `out` takes a line without its line end. The default discards lines.
  explicit RateLimitedLines(std::function<void(const std::string&)> out = {}) : out_(std::move(out)) {}

  void say(const std::string& line) {
    if (!out_ || said_ > most) return;
    out_(++said_ <= most ? line : "further lines of this kind are counted and not shown");
  }
  // Writes a line without counting it against the limit.
  void say_always(const std::string& line) const {
    if (out_) out_(line);
  }

 private:
  std::function<void(const std::string&)> out_;
  std::uint64_t said_ = 0;
};

class Delivery {
 public:
  // `io` is the event loop that the caller waits with.
  Delivery(net::Io& io, net::ClientConfig server, ReportQueue& queue, RateLimitedLines& lines);

  // Sends and receives as much as is possible without waiting.
  void go_on();

  // Delivers all parts of the queue before it returns. Throws Interrupted, and NetworkError once the server has been
  // absent for the config's retry_for.
  void deliver_all(const std::atomic<bool>& interrupted);
  // Closes the connection in order, if there is a connection.
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
  RateLimitedLines& lines_;
  std::unique_ptr<net::ServiceClient> client_;
  Waits waits_ = Waits::connection;
  PartName sent_;
  net::Clock::time_point retry_at_{};
  bool told_ = false;  // whether the user was notified that the server is absent
  std::string last_loss_;
};

}  // namespace sotto::apps::p2b
