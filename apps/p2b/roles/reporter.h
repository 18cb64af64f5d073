// Sends an agent's reports to the shuffler: many in a message, several messages on their way at once, and all that has
// no receipt yet again on a new connection when one was lost. Each report is under the user's token and a random nonce,
// so that the shuffler counts it once however often it comes.
//
// Holds at most `window` messages. Errors: NetworkError where the shuffler is not there for the config's retry_for;
// TrustError where it is not the one that is pinned; DisagreementError where it takes other terms; ProtocolError where
// it answers what is no answer; Interrupted.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/apps/kit/dp/coins.h"
#include "sotto/apps/p2b/roles/messages.h"
#include "sotto/net/star/client.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
