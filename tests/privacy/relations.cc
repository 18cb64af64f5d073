#include "tests/privacy/view.h"

#include "sotto/protocol/wire/label.h"
#include "tests/privacy/rank.h"

namespace sotto::privacy {
namespace {

constexpr std::size_t all_runs = 2 * repetitions;
constexpr std::size_t most_rows = all_runs - 64;  // uniform rows are dependent with a probability below 2^-63
constexpr std::size_t most_relations_named = 12;

struct Column {
  std::string label;
  std::string name;
  std::vector<std::uint64_t> values;
};

// Leaves out bits that are never set: they reveal nothing (view.h).
std::vector<std::uint64_t> of_all(const Runs& runs, const std::function<std::uint64_t(const Run&)>& word_of) {
  std::vector<std::uint64_t> values;
  values.reserve(all_runs);
  std::uint64_t used = 0;
  for (const std::vector<Run>& under : runs) {
    for (const Run& run : under) {
      values.push_back(word_of(run));
      used |= values.back();
    }
  }
  if (used == ~std::uint64_t{0}) return values;
  for (std::uint64_t& value : values) value = gathered_bits(value, used);
  return values;
}

unsigned used_bits(const Column& column) {
  std::uint64_t used = 0;
  for (const std::uint64_t value : column.values) used |= value;
  return static_cast<unsigned>(std::bit_width(used));
}

// Returns the messages that the members receive from non-members, slot by slot. If the members see all shares of a
// slot, the opening replaces the last message.
std::vector<Column> received(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs) {
  std::vector<Column> columns;
  for (const std::vector<Message>& slot : slots_of(layout)) {
    if (outputs.has(slot.front().label)) continue;
    bool whole = slot.size() > 1;
    std::vector<Message> outside;
    for (const Message& message : slot) {
      if (holds(members, message.from)) continue;
      if ((message.receivers & members) == 0) {
        whole = false;
      } else {
        outside.push_back(message);
      }
    }
    for (std::size_t i = 0; i < outside.size(); ++i) {
      const bool opened = whole && i + 1 == outside.size();
      const Message& message = outside[i];
      for (std::size_t lane = 0; lane < message.lanes; ++lane) {
        columns.push_back(
            {message.label,
             name_of(message, lane, opened ? "opened" : "received from " + layout.topology.name(message.from)),
             of_all(runs, [&](const Run& run) {
               return opened ? opened_lane(slot, run, lane) : run.words[message.first + lane];
             })});
      }
    }
  }
  std::erase_if(columns, [](const Column& column) { return used_bits(column) == 0; });
  return columns;
}

std::vector<Column> of_keys(const Layout& layout, const Runs& runs, Members members) {
  std::vector<Column> columns;
  for (NodeId node = 0; node < layout.topology.parties(); ++node) {
    if (!holds(members, node)) continue;
    for (std::size_t i = 0; i < runs[0][0].results[node].size(); ++i) {
      columns.push_back({"draw", "draw " + std::to_string(i) + " of " + layout.topology.name(node),
                         of_all(runs, [&](const Run& run) { return run.results[node].at(i); })});
    }
  }
  return columns;
}

void look_for_relation(const std::vector<Column>& columns, const std::vector<std::size_t>& chosen, bool lowest,
                       std::vector<std::string>& findings) {
  if (chosen.empty()) return;
  BitRows rows(chosen.size() + 1, all_runs);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Column& column = columns[chosen[i]];
    const unsigned used = used_bits(column);
    const unsigned bit = lowest || used < 2 ? 0 : static_cast<unsigned>(1 + fnv1a(column.name) % (used - 1));
    for (std::size_t run = 0; run < all_runs; ++run) rows.put(i, run, column.values[run] >> bit);
  }
  for (std::size_t run = 0; run < all_runs; ++run) rows.put(chosen.size(), run, 1);
  const auto found = relation(rows);
  if (!found) return;
  const bool odd = found->back() == chosen.size();
  const std::size_t words = found->size() - (odd ? 1 : 0);
  std::string text = std::to_string(words) + " words, always " + (odd ? "odd" : "even") + ": ";
  for (std::size_t i = 0; i < std::min(words, most_relations_named); ++i) {
    text += (i == 0 ? "" : " + ") + columns[chosen[(*found)[i]]].name;
  }
  findings.push_back(text);
}

void look_in_parts(const std::vector<Column>& columns, const std::vector<std::size_t>& order,
                   std::vector<std::string>& findings) {
  const std::size_t parts = (order.size() + most_rows - 2) / (most_rows - 1);
  for (std::size_t part = 0; part < parts; ++part) {
    const auto at = [&](std::size_t i) {
      return order.begin() + static_cast<std::ptrdiff_t>(i * order.size() / parts);
    };
    const std::vector<std::size_t> chosen(at(part), at(part + 1));
    for (const bool lowest : {true, false}) look_for_relation(columns, chosen, lowest, findings);
  }
}

}  // namespace

void append_relations(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs,
                      std::vector<std::string>& findings) {
  std::vector<Column> columns = received(layout, runs, members, outputs);
  for (Column& column : of_keys(layout, runs, members)) columns.push_back(std::move(column));
  std::vector<std::size_t> order(columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  look_in_parts(columns, order, findings);
  if (order.size() < most_rows) return;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return columns[a].label < columns[b].label; });
  look_in_parts(columns, order, findings);
}

}  // namespace sotto::privacy
