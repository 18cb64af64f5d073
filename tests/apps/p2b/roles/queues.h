// A queue of reports in a folder of its own, by a clock that a test moves.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/p2b/roles/report_queue.h"
#include "tests/apps/p2b/roles/reports.h"
#include "tests/apps/support.h"

namespace sotto::apps::p2b {

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
  // The next tick comes, an hour later.
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

// Delivers all there is.
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
