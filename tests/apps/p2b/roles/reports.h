#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/kit/files/output_file.h"
#include "apps/p2b/roles/messages.h"
#include "apps/p2b/roles/report_queue.h"
#include "tests/apps/support.h"

namespace sotto::apps::p2b {

inline P2bTerms small_terms(std::uint64_t threshold = 1) {
  return P2bTerms{.codes = 8, .arms = 3, .threshold = threshold};
}

inline Report report_of(int user, Tuple tuple, std::uint64_t nonce = 1) {
  return {user_token("user " + std::to_string(user)), nonce, tuple};
}

using Multiset = std::map<std::tuple<std::uint32_t, std::uint32_t, double>, std::uint64_t>;

inline void add_to(Multiset& counts, std::span<const Tuple> tuples) {
  for (const Tuple& t : tuples) ++counts[{t.code, t.arm, t.reward}];
}

inline Multiset multiset_of(const std::vector<Report>& reports) {
  Multiset counts;
  for (const Report& report : reports) add_to(counts, std::span(&report.tuple, 1));
  return counts;
}
inline Multiset multiset_of(std::span<const Tuple> tuples) {
  Multiset counts;
  add_to(counts, tuples);
  return counts;
}

inline constexpr std::chrono::seconds hour{3600};

class ManualClock {
 public:
  static constexpr Tick begin{std::chrono::seconds{1'800'000'000}};  // a full hour

  void pass(std::chrono::seconds time) { *seconds_ += time.count(); }
  [[nodiscard]] Tick now() const { return Tick(std::chrono::seconds(seconds_->load())); }
  [[nodiscard]] BatchClock::Now function() const {
    return [seconds = seconds_] { return Tick(std::chrono::seconds(seconds->load())); };
  }
  [[nodiscard]] BatchClock hours() const { return BatchClock(hour, function()); }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> seconds_ =
      std::make_shared<std::atomic<std::int64_t>>(begin.time_since_epoch().count());
};

inline std::uint64_t batch_of_hour(int hours) {
  return static_cast<std::uint64_t>((ManualClock::begin + hours * hour).time_since_epoch().count());
}

inline Seed key(std::uint64_t number = 1) { return Seed::insecure_from_number(number); }

inline Taken take(ReportQueue& queue, std::span<const Report> reports) {
  const std::size_t end = reports.size();
  return queue.take(reports, std::span(&end, 1)).at(0);
}

inline Taken take(ReportQueue& queue, const Report& report) { return take(queue, std::span(&report, 1)); }

class QueueTest : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "queue.db"; }
  ReportQueue open(const P2bTerms& terms, std::uint64_t most = 1'000'000, std::uint64_t key_number = 1) const {
    return {file(), terms, {clock_.hours(), most}, key(key_number), Coins::from_os()};
  }
  std::string refusal_of(const P2bTerms& terms, std::uint64_t most = 1'000'000, std::uint64_t key_number = 1) {
    return error_of<Error>([&] { (void)open(terms, most, key_number); });
  }
  void tick(ReportQueue& queue) {
    clock_.pass(hour);
    queue.close_due();
  }

  void take_and_tick(ReportQueue& queue, const std::vector<Report>& reports) {
    take(queue, reports);
    tick(queue);
  }

  ManualClock clock_;

 private:
  PrivateFolder folder_;
};

inline std::vector<SurvivorPart> deliver(ReportQueue& queue) {
  std::vector<SurvivorPart> parts;
  while (auto part = queue.next_part()) {
    parts.push_back(*part);
    queue.delivered(part->name);
  }
  return parts;
}

inline std::vector<Report> reports_of(int first, int count) {
  std::vector<Report> reports;
  for (int u = first; u < first + count; ++u) {
    const auto n = static_cast<std::uint32_t>(u);
    reports.push_back(report_of(u, {n % 8, n % 3, u % 2 == 0 ? 1.0 : 0.25}));
  }
  return reports;
}

}  // namespace sotto::apps::p2b
