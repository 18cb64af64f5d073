// The shuffler of P2B as a service: takes reports from any number of agents, whom it does not know and asks for no
// certificate that it was told of, puts them into its queue (report_queue.h) and answers once they are on the disk,
// closes a batch at each tick of the clock, and brings the survivors to the server.
//
// What it forgets of a report at once: the agent's address and key, the time, which reports came in one message, the
// order. What it keeps: that the user has reported, apart from what. It never writes a user's token or a tuple into a
// line.
//
// Reports are committed after each turn of the service's loop, all that came in it together, at most most_staged in a
// transaction; so the disk is never waited for twice for two agents, and what is held in memory is bounded. A code
// outside 0..k-1, an arm outside 0..K-1, a reward outside 0..1 and a second report of a user are dropped and counted,
// with a line for each message that has some; who sends what is no message of P2B is dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/p2b/roles/delivery.h"
#include "sotto/apps/p2b/roles/report_queue.h"
#include "sotto/apps/p2b/roles/said_lines.h"
#include "sotto/net/star/service.h"

namespace sotto::apps {

inline constexpr const char* p2b_shuffler_name = "p2b shuffler";
inline constexpr std::size_t most_staged = 32'768;  // reports, and a message

// Of this process.
struct RefusedReports {
  std::uint64_t repeated = 0;
  std::uint64_t second = 0;
  std::uint64_t bad_code = 0;
  std::uint64_t bad_arm = 0;
  std::uint64_t bad_reward = 0;
  std::uint64_t malformed = 0;  // connections that were dropped over what came on them
  bool operator==(const RefusedReports&) const = default;
};

class ShufflerRole : public net::ServiceHandler {
 public:
  // Done at the tick `ends_at`, if there is one, or once `until` reports are in the queue, since it was made; 0: never.
  // `batch_line` is called after each batch.
  ShufflerRole(net::Service& service, ReportQueue& queue, Delivery* delivery, SaidLines& lines,
               std::optional<Tick> ends_at, std::uint64_t until, std::function<void(const ClosedBatch&)> batch_line);

  void received(net::PeerId peer, net::Message&& message) override;
  void left(net::PeerId peer, const std::string& why) override;
  void refused(const std::string& from, const std::string& why) override;
  net::Clock::time_point tick() override;
  [[nodiscard]] bool done() const override;

  [[nodiscard]] const RefusedReports& refused_reports() const noexcept { return refused_; }

 private:
  struct Waiting {
    net::PeerId peer;
    Receipt receipt;
  };
  void stage(net::PeerId peer, PayloadView payload);
  void commit();
  void say_batches();
  void count(const Receipt& receipt, const Taken& taken);

  net::Service& service_;
  ReportQueue& queue_;
  Delivery* delivery_;
  SaidLines& lines_;
  std::optional<Tick> ends_at_;
  std::uint64_t until_;
  std::function<void(const ClosedBatch&)> batch_line_;
  std::uint64_t reports_ = 0;  // in the queue, since it was made
  std::vector<Report> staged_;
  std::vector<std::size_t> ends_;
  std::vector<Waiting> waiting_;
  std::vector<Report> incoming_;
  RefusedReports refused_;
};

}  // namespace sotto::apps
