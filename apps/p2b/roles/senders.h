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
// lost connection, all reports without a receipt are sent again on a new connection. Each report has the user's token
// and a random nonce, so that the shuffler counts the report once, however often it arrives.
//
// A Reporter holds at most `window` messages without a receipt. Throws NetworkError if the shuffler is absent for the
// config's retry_for, TrustError if the shuffler's key is not the pinned key, and DisagreementError if the shuffler has
// other terms. Throws ProtocolError if the shuffler sends an invalid answer, and Interrupted if `interrupted` is set.

inline constexpr std::chrono::seconds goodbye_within{5};  // an agent's time limit for closing its connections

struct ReporterSettings {
  std::size_t reports_a_message = 512;  // 1 to most_reports_a_message
  std::size_t window = 16;              // largest number of messages without a receipt; at least 1
};

// The shuffler's answers about all reports.
struct ReportTotals {
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;  // includes reports that the shuffler ignores; nobody learns which reports are ignored
  std::uint64_t invalid = 0;
  std::uint64_t reconnected = 0;
  bool operator==(const ReportTotals&) const = default;
};

class Reporter {
 public:
  Reporter(net::ClientConfig shuffler, ReporterSettings settings, const std::atomic<bool>& interrupted);

  // The shuffler's terms, which are requested once on every new connection.
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
  // Runs `what` until it succeeds, each time on a new connection if the previous connection was lost.
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

// Delivery brings the parts of a shuffler's batches to the server, in their order. A part leaves the queue only after
// the server answers that the part is on the server's disk. The server recognises a repeated part by the name of the
// part, so the server accepts each part exactly once.
//
// The function proceed() never waits, so the loop of a service can call it; deliver_all() waits. If the server is
// absent or the connection is lost, proceed() and deliver_all() try again; unsent parts stay in the queue. If the
// server's key is not the pinned key, or the server does not trust this shuffler, proceed() tries again and
// deliver_all() throws TrustError. The functions proceed() and deliver_all() throw DisagreementError if the server has
// other terms, and ProtocolError if the server sends an invalid answer.

// Lines that a role writes to its user about messages from other roles. Only the first `most` lines are written and
// further lines are left out, so that nobody can fill a disk by sending invalid messages.
class RateLimitedLines {
 public:
  static constexpr std::uint64_t most = 100;

  // `out` receives each line without the newline. The default of `out` discards all lines.
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
  // `io` is the event loop in which the caller waits.
  Delivery(net::Io& io, net::ClientConfig server, ReportQueue& queue, RateLimitedLines& lines);

  // Sends and receives as much as is possible without waiting.
  void proceed();

  // Delivers all parts of the queue before it returns. Throws Interrupted if `interrupted` is set, and NetworkError if
  // the server is absent for the config's retry_for.
  void deliver_all(const std::atomic<bool>& interrupted);
  // Closes the connection in an orderly way, if there is a connection.
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
