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

inline constexpr std::chrono::seconds goodbye_within{5};

struct ReporterSettings {
  std::size_t reports_a_message = 512;  // 1 to most_reports_a_message
  std::size_t window = 16;              // largest number of messages without a receipt, at least 1
};

struct ReportTotals {
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;  // includes reports that the shuffler ignores
  std::uint64_t invalid = 0;
  std::uint64_t reconnected = 0;
  bool operator==(const ReportTotals&) const = default;
};

// Sends an agent's reports to the shuffler, many reports in a message. After a lost connection, the Reporter sends all
// reports without a receipt again on a new connection. The shuffler counts a repeated report once, by the user's token
// and the report's nonce.
//
// Throws NetworkError if the shuffler does not answer for the time retry_for of the config, TrustError if the
// shuffler's key is not the pinned key, and DisagreementError if the shuffler has other terms. Throws ProtocolError if
// the shuffler sends an invalid answer, and Interrupted if `interrupted` is set.
class Reporter {
 public:
  Reporter(net::ClientConfig shuffler, ReporterSettings settings, const std::atomic<bool>& interrupted);

  [[nodiscard]] const P2bTerms& terms();

  void add(const UserToken& user, const Tuple& tuple);
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

// Writes a limited number of lines of text about messages from other roles, so that nobody can fill a disk by sending
// invalid messages.
class RateLimitedLines {
 public:
  static constexpr std::uint64_t most = 100;

  explicit RateLimitedLines(std::function<void(const std::string&)> out = {}) : out_(std::move(out)) {}

  void say(const std::string& line) {
    if (!out_ || said_ > most) return;
    out_(++said_ <= most ? line : "further lines of this kind are counted and not shown");
  }
  void say_always(const std::string& line) const {
    if (out_) out_(line);
  }

 private:
  std::function<void(const std::string&)> out_;
  std::uint64_t said_ = 0;
};

// Delivers the parts of a shuffler's batches to the server, in order. A part leaves the queue only after the server
// answers that the part is on the server's disk. The server recognises a repeated part by its name.
//
// proceed() never waits; deliver_all() does. If the server is absent or the connection is lost, proceed() and
// deliver_all() try again; unsent parts stay in the queue. If the server's key is not the pinned key, or if the server
// does not trust this shuffler, proceed() tries again, but deliver_all() throws TrustError. Both functions throw
// DisagreementError if the server has other terms, and ProtocolError for an invalid answer.
class Delivery {
 public:
  Delivery(net::Io& io, net::ClientConfig server, ReportQueue& queue, RateLimitedLines& lines);

  void proceed();

  // Throws Interrupted if `interrupted` is set, and NetworkError if the server does not answer for the time retry_for
  // of the config.
  void deliver_all(const std::atomic<bool>& interrupted);
  void end() noexcept;

 private:
  enum class Waits : std::uint8_t { connection, terms, nothing, answer };

  void advance();
  void step();
  void receive(const net::Message& message);
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
  bool notified_ = false;
  std::string last_loss_;
};

}  // namespace sotto::apps::p2b
