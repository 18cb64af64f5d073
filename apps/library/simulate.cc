#include "sotto/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "core/text/count.h"

namespace sotto {
namespace detail {

Topology topology_of(std::size_t parties, const SessionOptions& options) {
  static constexpr NodeNames names{.outside = "receiver"};
  return sotto::topology_of(options.preprocessing, parties, options.has_receiver, false, names);
}

Topology checked_topology(std::size_t parties, const SessionOptions& options) {
  const std::string refusal = refusal_of(options.preprocessing, parties);
  if (!refusal.empty()) throw std::invalid_argument("preprocessing: " + refusal);
  return topology_of(parties, options);
}

RunCost cost_of(const Ledger& ledger, std::vector<Opened> opened, const Trace* trace) {
  const Cost total = ledger.total();
  const Cost ahead = ledger.of(phase_ahead);
  const auto sent = std::span(total.sent).first(ledger.topology().parties());
  const auto largest = static_cast<std::size_t>(std::max_element(sent.begin(), sent.end()) - sent.begin());
  RunCost cost{total.rounds, sent[largest], total.dealt, ledger, std::move(opened), ahead.rounds, ahead.sent[largest]};
  if (trace != nullptr) {
    cost.operations = trace->operations();
    cost.digest = trace->digest(ledger);
  }
  return cost;
}

void require_measured(const RunCost& cost, const std::array<std::uint64_t, max_nodes>& sent, std::uint64_t dealt,
                      std::uint64_t rounds) {
  if (cost.ledger.total().sent == sent && cost.dealt == dealt && cost.rounds == rounds) return;
  throw std::logic_error("the run took other rounds or bytes than its account says");
}

}  // namespace detail

double RunCost::seconds(std::chrono::nanoseconds delay, double bits_per_second) const {
  if (!(bits_per_second > 0)) throw std::invalid_argument("a link has a positive rate");
  const double waiting = static_cast<double>(rounds) * std::chrono::duration<double>(delay).count();
  const double sending = 8 * static_cast<double>(bytes) / bits_per_second;
  const double dealing = 8 * static_cast<double>(dealt) / bits_per_second;
  return std::max(waiting + sending, dealing);
}

std::string RunCost::in_short() const {
  if (!ledger.topology().has_dealer()) {
    return fmt::format("{}, {} sent, {} and {} of them for preprocessing", counted(rounds, "round"),
                       counted(bytes, "byte"), counted(preprocessing_rounds, "round"),
                       counted(preprocessing_bytes, "byte"));
  }
  return fmt::format("{}, {} sent, {} dealt", counted(rounds, "round"), counted(bytes, "byte"), counted(dealt, "byte"));
}

}  // namespace sotto
