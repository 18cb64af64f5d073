// The tests compare what the server sees if one user may report with what the server sees without this user. Over many
// runs of the shuffler, the histograms of the two views must not differ by more than epsilon and delta allow.
#include <fmt/format.h>

#include "apps/p2b/privacy.h"
#include "apps/p2b/roles/report_queue.h"
#include "apps/p2b/tuple.h"
#include "tests/apps/p2b/roles/reports.h"
#include "tests/apps/support.h"

namespace sotto::apps::p2b {
namespace {

constexpr double chance = 0.5;
constexpr std::uint64_t threshold = 10;
constexpr int trials = 1000;

using Codes = std::vector<std::uint32_t>;

std::string counts_text(std::span<const Tuple> tuples) {
  std::map<std::uint32_t, int> counts;
  for (const Tuple& tuple : tuples) ++counts[tuple.code];
  std::string text;
  for (const auto& [code, count] : counts) text += fmt::format(" {}x{}", count, code);
  return text;
}

// The folder is in memory if possible, because the tests would otherwise wait for a disk.
class Folder {
 public:
  Folder() {
    for (const std::string& base : {std::string("/dev/shm"), std::filesystem::temp_directory_path().string()}) {
      path_ = base + "/sotto-XXXXXX";
      if (::mkdtemp(path_.data()) != nullptr) return;
    }
    throw std::runtime_error("no folder can be made");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path file() const { return path_ + "/queue.db"; }

 private:
  std::string path_;
};

class AsItIs {
 public:
  AsItIs() : queue_(folder_.file(), terms(), {clock_.hours()}, key(), coins()) {}

  // Returns all data that the server gets from an hour's reports, as text: the times, the names, the lengths, and the
  // number of tuples of each code. The order of the tuples is uniform (Queue.ShufflesABatch).
  std::string view(const Codes& codes) {
    const Tick begin = clock_.now();
    std::vector<Report> reports;
    for (const std::uint32_t code : codes) reports.push_back(report_of(next_user_++, {code, 0, 1}));
    const std::size_t end = reports.size();
    static_cast<void>(queue_.take(reports, std::span(&end, 1)));
    std::string text = messages(begin);
    clock_.pass(hour);
    queue_.close_due();
    return text + messages(begin);
  }

 private:
  static P2bTerms terms() {
    P2bTerms terms = small_terms(threshold);
    terms.p = chance;
    return terms;
  }
  static Seed key() { return Seed::insecure_from_number(1); }
  static Coins coins() { return Coins::insecure(1); }

  std::string messages(Tick begin) {
    std::string text;
    while (const auto part = queue_.next_part()) {
      const Tick name{std::chrono::seconds(part->name.batch)};
      text += fmt::format("at {} s: batch {}, part {} of {}, {} bytes:{}\n", (clock_.now() - begin).count(),
                          (name - begin).count(), part->name.part, part->parts, encode(*part).size(),
                          counts_text(part->tuples));
      queue_.delivered(part->name);
    }
    return text;
  }

  Folder folder_;
  ManualClock clock_;
  ReportQueue queue_;
  int next_user_ = 0;
};

class ByCount {
 public:
  static constexpr std::size_t full = 150;

  std::string view(const Codes& codes) {
    std::string text;
    std::vector<Tuple> waiting;
    Coins coins = Coins::insecure(1);
    for (const std::uint32_t code : codes) {
      waiting.push_back({code, 0, 1});
      if (waiting.size() < full) continue;
      text += counts_text(shuffle(std::span<const Tuple>(waiting), threshold, coins).survivors);
      waiting.clear();
    }
    return text;
  }
};

// The codes of the users, each of whom reports with probability 1/2. `the_one` is the code of the user that may be
// missing.
struct Crowd {
  Codes others;
  std::uint32_t the_one = 0;
};

struct Histograms {
  std::map<std::string, std::pair<int, int>> views;

  // Returns a histogram of each half of the trials. The halves are independent of each other.
  template <class Shuffler>
  static std::pair<Histograms, Histograms> of(Shuffler& shuffler, const Crowd& crowd) {
    std::mt19937_64 random(5);
    std::pair<Histograms, Histograms> halves;
    const auto reports = [&] { return random() % 2 == 0; };
    for (int trial = 0; trial < trials; ++trial) {
      for (const bool with : {true, false}) {
        Codes codes;
        if (with && reports()) codes.push_back(crowd.the_one);
        for (const std::uint32_t code : crowd.others) {
          if (reports()) codes.push_back(code);
        }
        auto& views = (trial % 2 == 0 ? halves.first : halves.second).views;
        auto& count = views[shuffler.view(codes)];
        ++(with ? count.first : count.second);
      }
    }
    return halves;
  }
};

// Estimates how much the views with the user exceed the bound. One half of the trials chooses the views whose
// probability with the user exceeds e^epsilon times their probability without the user. The other half measures this
// excess for the chosen views. If `reversed` is set, the two kinds of views swap their places. The mean of `value` is
// at most delta, and `error` is its standard deviation.
struct Excess {
  double value = 0;
  double error = 0;
};

Excess excess(const std::pair<Histograms, Histograms>& halves, bool reversed) {
  const double factor = std::exp(report_epsilon(chance));
  double in = 0, out = 0;
  for (auto [view, chosen] : halves.first.views) {
    if (reversed) std::swap(chosen.first, chosen.second);
    if (chosen.first <= factor * chosen.second) continue;
    const auto judged = halves.second.views.find(view);
    if (judged == halves.second.views.end()) continue;
    in += reversed ? judged->second.second : judged->second.first;
    out += reversed ? judged->second.first : judged->second.second;
  }
  constexpr double all = trials / 2;
  in /= all;
  out /= all;
  // The error is above 0 even if no event was seen.
  const auto variance = [&](double share) { return (share * (1 - share) + 1 / all) / all; };
  return {in - factor * out, std::sqrt(variance(in) + factor * factor * variance(out))};
}

Crowd crowd_of(int popular, int alike) {
  Crowd crowd;
  crowd.the_one = 7;
  crowd.others.assign(static_cast<std::size_t>(popular), 0);
  crowd.others.insert(crowd.others.end(), static_cast<std::size_t>(alike), 7);
  return crowd;
}

template <class Shuffler>
Excess worst_excess(const Crowd& crowd) {
  Shuffler shuffler;
  const auto halves = Histograms::of(shuffler, crowd);
  const Excess one = excess(halves, false);
  const Excess other = excess(halves, true);
  return one.value > other.value ? one : other;
}

TEST(ServerView, OfOneWithARareCodeAmongManyIsWithinDelta) {
  const double delta = report_delta(chance, threshold);
  EXPECT_NEAR(delta, .0076, 1e-4);
  const Excess rare = worst_excess<AsItIs>(crowd_of(399, 0));
  EXPECT_LT(rare.value, delta + 4 * rare.error);
  EXPECT_LT(rare.error, .05) << "else nothing would be seen";
}

TEST(ServerView, OfOneAmongTheWorstCrowdIsWithinDelta) {
  const CrowdDelta worst = worst_crowd(chance, threshold);
  const Excess same = worst_excess<AsItIs>(crowd_of(20, static_cast<int>(worst.crowd)));
  EXPECT_LT(same.value, worst.delta + 4 * same.error);
  EXPECT_LT(same.error, .05);
}

TEST(ServerView, OfOneAloneIsThatOfNobody) {
  AsItIs shuffler;
  for (const Codes& codes : {Codes{}, Codes{3}, Codes{}, Codes(threshold - 1, 3), Codes{1, 2}}) {
    EXPECT_EQ(shuffler.view(codes), "");
  }
  EXPECT_EQ(shuffler.view(Codes(threshold, 3)), "at 3600 s: batch 3600, part 0 of 1, 192 bytes: 10x3\n");
}

// Shows that the test can fail: batches that close by count reveal the user. The delta of such a shuffler is the chance
// of a report, not the printed delta.
TEST(ServerView, OfBatchesThatCloseByCountIsNot) {
  const Excess rare = worst_excess<ByCount>(crowd_of(399, 0));
  EXPECT_GT(rare.value, report_delta(chance, threshold) + 4 * rare.error);
  EXPECT_NEAR(rare.value, chance, .05);
}

}  // namespace
}  // namespace sotto::apps::p2b
