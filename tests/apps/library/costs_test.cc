// The tests compare the table of costs in docs/guides/library.md with the planner. The table lists a cost for each
// function and for each of several numbers of fraction bits. A cost is a linear formula in the number of entries and
// the number of parties. SOTTO_UPDATE_COSTS=1 rewrites the table.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/apps/library/support.h"
#include "tests/framework.h"

namespace sotto::testing {
namespace {

constexpr std::size_t lanes = 64;  // 64 lanes of any width fill whole bytes
constexpr std::uint64_t header = 24;
constexpr std::array<unsigned, 4> session_bits{12, 16, 20, 24};

struct Row {
  const char* name;
  std::size_t columns;
  double bound;
  OnSecrets f;
};

Task<Unit> in_phases(Session& s, Row row, std::size_t count) {
  s.phase("input");
  const Shape shape{count, row.columns};
  auto [x, y] = co_await all(s.input(0, shape, Matrix(), row.bound), s.input(1, shape, Matrix(), row.bound));
  s.phase("function");
  Secret z = co_await row.f(std::move(x), std::move(y));
  Unit done;
  co_return done;
}

// Returns the cost of the function on `count` rows, without the costs of inputs and openings.
Cost cost_of(const Row& row, std::size_t parties, std::size_t count, unsigned bits) {
  SessionOptions options;
  options.bits = bits;
  const auto program = [&row, count](Session& s) { return in_phases(s, row, count); };
  return plan(parties, program, options).ledger.of("function");
}

OnSecrets one(Task<Secret> (*f)(Secret)) {
  return [f](Secret x, const Secret&) { return f(std::move(x)); };
}

std::vector<Row> all_rows() {
  return {
      {"`x * y`, rounded", 1, 16, [](Secret x, Secret y) { return rounded(x * y); }},
      {"`row_dot`, 8 columns, rounded", 8, 16, [](Secret x, Secret y) { return rounded(row_dot(x, y)); }},
      {"`less`", 1, 16, [](Secret x, Secret y) { return less(std::move(x), std::move(y)); }},
      {"`equal`", 1, 16, [](Secret x, Secret y) { return equal(std::move(x), std::move(y)); }},
      {"`max`, `min`", 1, 16, [](Secret x, Secret y) { return max(std::move(x), std::move(y)); }},
      {"`abs`", 1, 16, one(abs)},
      {"`clamp`", 1, 16, [](Secret x, const Secret&) { return clamp(std::move(x), -1, 1); }},
      {"`row_argmax`, 8 columns", 8, 16, one(row_argmax)},
      {"`row_max`, `row_min`, 8 columns", 8, 16, one(row_max)},
      {"`row_sort`, 8 columns", 8, 16, one(row_sort)},
      {"`row_top`, 3 of 8 columns", 8, 16, [](Secret x, const Secret&) { return row_top(std::move(x), 3); }},
      {"`reciprocal`, from 1/16", 1, 16, [](Secret x, const Secret&) { return reciprocal(std::move(x), 0.0625); }},
      {"`divide`, from 1/16", 1, 16, [](Secret x, Secret y) { return divide(std::move(x), std::move(y), 0.0625); }},
      {"`sqrt`", 1, 16, one(sqrt)},
      {"`inverse_sqrt`, from 1/16", 1, 16, [](Secret x, const Secret&) { return inverse_sqrt(std::move(x), 0.0625); }},
      {"`log`, from 1/16", 1, 16, [](Secret x, const Secret&) { return log(std::move(x), 0.0625); }},
      {"`exp`, bound 11", 1, 11, [](Secret x, const Secret&) { return exp(std::move(x)); }},
      {"`sigmoid`, bound 12", 1, 12, one(sigmoid)},
      {"`sigmoid`, bound 100", 1, 100, one(sigmoid)},
      {"`tanh`, bound 6", 1, 6, one(tanh)},
      {"`row_softmax`, 8 columns", 8, 8, one(row_softmax)},
      {"`polynomial`, degree 4", 1, 2,
       [](Secret x, const Secret&) {
         return polynomial(std::move(x), {1, 1, 1, 1, 1});
       }},
  };
}

// The cost of one more row: `sent` is in bytes that a party sends to each other party, and `dealt_bits` is in bits from
// the dealer.
struct Slope {
  std::uint64_t rounds, sent, dealt_bits;
};
Slope slope_of(const Row& row, unsigned bits) {
  const Cost small = cost_of(row, 2, lanes, bits);
  const Cost large = cost_of(row, 2, 2 * lanes, bits);
  const std::uint64_t sent = large.sent[0] - small.sent[0];
  const std::uint64_t dealt = large.dealt - small.dealt;
  EXPECT_EQ(sent % lanes, 0u) << row.name;
  EXPECT_EQ(dealt * 8 % lanes, 0u) << row.name;
  return {small.rounds, sent / lanes, dealt * 8 / lanes};
}

std::string table() {
  std::string text = "| function | rounds | sent |";
  for (const unsigned bits : session_bits) text += fmt::format(" dealt, {} bits |", bits);
  text += "\n|---|---|---|---|---|---|---|\n";
  for (const Row& row : all_rows()) {
    const Slope usual = slope_of(row, 20);
    text += fmt::format("| {} | {} | {} |", row.name, usual.rounds, usual.sent);
    for (const unsigned bits : session_bits) {
      try {
        text += fmt::format(" {} |", slope_of(row, bits).dealt_bits);
      } catch (const std::invalid_argument&) {
        text += " - |";
      }
    }
    text += "\n";
  }
  return text;
}

TEST(Costs, AreLinearInEntriesAndParties) {
  for (const Row& row : all_rows()) {
    const Slope slope = slope_of(row, 20);
    for (const std::size_t parties : {2, 3, 5}) {
      const std::size_t count = 3 * lanes;
      const Cost cost = cost_of(row, parties, count, 20);
      EXPECT_EQ(cost.rounds, slope.rounds) << row.name;
      EXPECT_EQ(cost.sent[0], (parties - 1) * (slope.sent * count + header * slope.rounds)) << row.name;
      EXPECT_EQ(cost.dealt - cost_of(row, parties, 2 * lanes, 20).dealt, slope.dealt_bits * lanes / 8) << row.name;
    }
  }
}

TEST(Costs, AreOnTheirPage) {
  const std::string path = std::string(sotto_source) + "/docs/guides/library.md";
  std::ifstream file(path);
  std::stringstream read;
  read << file.rdbuf();
  const std::string page = read.str();
  const std::size_t begin = page.find("| function | rounds");
  ASSERT_NE(begin, std::string::npos) << path;
  const std::size_t end = std::min(page.find("\n\n", begin), page.size() - 1) + 1;
  const std::string wanted = table();
  if (std::getenv("SOTTO_UPDATE_COSTS") != nullptr) {
    std::ofstream(path) << page.substr(0, begin) << wanted << page.substr(end);
    return;
  }
  EXPECT_EQ(page.substr(begin, end - begin), wanted) << "SOTTO_UPDATE_COSTS=1 library_tests writes it again";
}

}  // namespace
}  // namespace sotto::testing
