// Example 6: a second-price auction. The highest bidder wins each item and pays the second highest bid; bids stay
// secret.
#include "apps/examples/example.h"

using namespace sotto;

constexpr std::size_t items = 4;

static Task<Matrix> auction(Session& s, Matrix mine) {
  std::vector<Task<Secret>> inputs;
  for (std::size_t party = 0; party < s.parties(); ++party) inputs.push_back(s.input(party, {items, 1}, mine, 1000));
  const std::vector<Secret> bids = co_await all(std::move(inputs));
  const Secret table = hstack(bids);  // items by bidders
  auto [winner, two] = co_await all(row_argmax(table), row_top(table, 2));
  const std::vector<Secret> result{winner, columns(two, 1)};
  co_return co_await s.reveal(hstack(result), "winners and prices");
}

int main() {
  std::vector<Matrix> bids;
  bids.reserve(3);
  for (int bidder = 0; bidder < 3; ++bidder)
    bids.push_back((Matrix::Random(items, 1).array().abs() * 999).round().matrix());
  const auto run = simulate(bids, auction);
  Matrix plain = Matrix::Zero(items, 4);
  for (std::size_t i = 0; i < items; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    std::vector<std::pair<double, Eigen::Index>> order;
    for (Eigen::Index bidder = 0; bidder < 3; ++bidder) {
      order.emplace_back(-bids[static_cast<std::size_t>(bidder)](row, 0), bidder);
    }
    std::sort(order.begin(), order.end());
    plain(row, order[0].second) = 1;
    plain(row, 3) = -order[1].first;
  }
  return compared(run, run.result(), plain, 0);
}
