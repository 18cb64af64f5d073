#include "tests/privacy/rank.h"
#include "core/wire/bit_pack.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::privacy {
namespace {

constexpr std::size_t more_runs = 64;    // number of runs beyond the number of words
constexpr std::size_t most_lanes = 256;  // most lanes of a draw that is examined as a whole
constexpr std::size_t looked_at = 64;    // number of examined lanes of a longer draw, and of the dealer's own coins
constexpr std::size_t most_named = 12;   // most words of a relation that a finding names

// A word that every run has, and the matrix rows of its examined bits: the lowest bit and one other bit, or all bits if
// the word is Boolean.
struct RankedWord {
  std::string name;
  unsigned bits;
  Group group;
  std::function<std::uint64_t(const Run&)> of;
  std::size_t row = 0;

  [[nodiscard]] std::size_t rows() const { return group == Group::exclusive_or ? bits : 2; }
  // The number of the other bit, 1 or higher: random but the same in every run.
  [[nodiscard]] unsigned other_bit() const {
    return bits == 1 ? 0 : static_cast<unsigned>(1 + fnv1a(name) % (bits - 1));
  }
};
using WordNumbers = std::vector<std::size_t>;

using Slots = std::vector<std::vector<Message>>;

// All words that any node receives or expands.
class Catalogue {
 public:
  Catalogue(const Layout& layout, const Outputs& outputs)
      : layout_(layout), outputs_(outputs), slots_(slots_of(layout)) {
    expanded_.resize(layout.topology.nodes());
    stream_bytes_.resize(layout.topology.nodes(), 0);
    add_messages();
    for (std::size_t i = 0; i < layout.draws.size(); ++i) add_draw(i);
    for (const Message& message : layout.messages) add_pair(message);
    for (std::size_t i = 0; i < looked_at; ++i) {
      coins_.push_back(add("coin " + std::to_string(i), 64, Group::sum,
                           [i](const Run& run) { return lane_at(run.coins, i * sizeof(std::uint64_t), 64); }));
    }
  }

  // Number of bytes that a run must record of each stream.
  [[nodiscard]] std::size_t stream_bytes() const {
    const auto most = *std::max_element(stream_bytes_.begin(), stream_bytes_.end());
    return std::max(most, looked_at * sizeof(std::uint64_t));
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const RankedWord& word(std::size_t i) const { return words_[i]; }

  void write(const Run& run, std::size_t column, BitRows& rows) const {
    if (run.chunks.size() != chunk_bytes_) throw std::logic_error("corrections of another length");
    for (const RankedWord& word : words_) {
      const std::uint64_t value = word.of(run);
      if (word.group == Group::sum) {
        rows.put(word.row, column, value);
        rows.put(word.row + 1, column, value >> word.other_bit());
        continue;
      }
      for (unsigned bit = 0; bit < word.bits; ++bit) rows.put(word.row + bit, column, value >> bit);
    }
  }

  // Call this after all runs are written. If no run sets a bit at the top of the last word of a Boolean message, this
  // bit is padding. Returns the number of bits of the Boolean messages, except outputs.
  std::size_t drop_padding(const BitRows& rows);
  // Number of bits that were drawn to mask the Boolean messages.
  [[nodiscard]] std::size_t boolean_masks() const;

  // Returns the view, either with the shares as received or with each opening as one sum.
  [[nodiscard]] WordNumbers view(Members members, bool opened) const;
  [[nodiscard]] WordNumbers view_of_dealer() const {
    WordNumbers view = coins_;
    for (const WordNumbers& words : expanded_) view.insert(view.end(), words.begin(), words.end());
    return view;
  }

 private:
  static std::uint64_t lane_at(const Bytes& stream, std::size_t offset, unsigned bits) {
    std::uint64_t word = 0;
    std::memcpy(&word, stream.data() + offset, sotto::stream_bytes(bits));
    return word & ring_mask(bits);
  }

  std::size_t add(std::string name, unsigned bits, Group group, std::function<std::uint64_t(const Run&)> of) {
    words_.push_back(RankedWord{std::move(name), bits, group, std::move(of), rows_});
    rows_ += words_.back().rows();
    return words_.size() - 1;
  }

  void add_messages();
  void add_draw(std::size_t number);
  void add_pair(const Message& message);
  static WordNumbers lanes_of(const Draw& draw) {
    return evenly_spaced(draw.lanes, draw.lanes > most_lanes ? looked_at : draw.lanes);
  }
  void expand(NodeId node, const Draw& draw, const std::string& name);
  void correct(const Draw& draw, const std::string& name);

  const Layout& layout_;
  const Outputs& outputs_;
  Slots slots_;
  std::vector<RankedWord> words_;
  std::size_t rows_ = 0;
  WordNumbers received_;               // index: Message::first + lane
  std::vector<WordNumbers> opened_;    // index: slot, then lane; empty if the slot has one sender
  std::vector<WordNumbers> expanded_;  // index: node
  WordNumbers corrections_;
  WordNumbers coins_;
  std::vector<std::pair<Members, WordNumbers>> pairs_;  // expansions of a seed that two nodes share
  std::vector<std::size_t> stream_bytes_;               // index: node
  std::size_t chunk_bytes_ = 0;
};

void Catalogue::add_messages() {
  for (const std::vector<Message>& slot : slots_) {
    for (const Message& message : slot) {
      for (std::size_t lane = 0; lane < message.lanes; ++lane) {
        received_.push_back(add(name_of(message, lane, "of " + layout_.topology.name(message.from)), message.bits,
                                message.group, [at = message.first + lane](const Run& run) { return run.words[at]; }));
      }
    }
    opened_.emplace_back();
    if (slot.size() < 2) continue;
    for (std::size_t lane = 0; lane < slot.front().lanes; ++lane) {
      opened_.back().push_back(add(name_of(slot.front(), lane, "opened"), slot.front().bits, slot.front().group,
                                   [&slot, lane](const Run& run) { return opened_lane(slot, run, lane); }));
    }
  }
}

void Catalogue::add_draw(std::size_t number) {
  const Draw& draw = layout_.draws[number];
  const Topology& topology = layout_.topology;
  const std::string name = "draw " + std::to_string(number);
  const bool dealt = draw.kind == Draw::Kind::dealt;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const bool takes = draw.kind == Draw::Kind::known
                           ? node == draw.node
                           : topology.is_party(node) && !(dealt && node == topology.last_party());
    if (takes) expand(node, draw, name);
  }
  if (dealt) correct(draw, name);
}

void Catalogue::expand(NodeId node, const Draw& draw, const std::string& name) {
  const std::size_t begin = stream_bytes_[node];
  const std::size_t width = sotto::stream_bytes(draw.bits);
  stream_bytes_[node] += draw.lanes * width;
  for (const std::size_t lane : lanes_of(draw)) {
    const std::size_t at = begin + lane * width;
    expanded_[node].push_back(
        add(name + "[" + std::to_string(lane) + "] of " + layout_.topology.name(node), draw.bits, draw.group,
            [node, at, bits = draw.bits](const Run& run) { return lane_at(run.streams[node], at, bits); }));
  }
}

void Catalogue::correct(const Draw& draw, const std::string& name) {
  const std::size_t at = chunk_bytes_;
  const std::size_t bytes = packed_bytes(draw.lanes, draw.bits);
  chunk_bytes_ += bytes;
  for (const std::size_t lane : lanes_of(draw)) {
    corrections_.push_back(add(name + "[" + std::to_string(lane) + "] corrected", draw.bits, draw.group,
                               [at, bytes, lane, bits = draw.bits](const Run& run) {
                                 return packed_lane(std::span(run.chunks).subspan(at, bytes), bits, lane);
                               }));
  }
}

// A direct message from one node to another contains a seed, which both nodes expand.
void Catalogue::add_pair(const Message& message) {
  if (message.kind != SlotKind::direct) return;
  WordNumbers words;
  for (std::size_t i = 0; i < message.lanes; ++i) {
    words.push_back(
        add("word " + std::to_string(i) + " of the seed of " + layout_.topology.name(message.from) + " and another", 64,
            Group::sum, [first = message.first, i](const Run& run) {
              std::array<std::byte, Seed::size> bytes{};
              std::memcpy(bytes.data(), run.words.data() + first, bytes.size());
              Prg prg(Seed::from_bytes(bytes));
              for (std::size_t skipped = 0; skipped < i; ++skipped) (void)prg.next();
              return prg.next();
            }));
  }
  pairs_.emplace_back(message.receivers | 1u << message.from, std::move(words));
}

std::size_t Catalogue::drop_padding(const BitRows& rows) {
  const auto used_bits = [&](const RankedWord& word) {
    unsigned used = word.bits;
    const auto empty = [](std::span<const std::uint64_t> row) {
      return std::all_of(row.begin(), row.end(), [](std::uint64_t bits) { return bits == 0; });
    };
    while (used > 0 && empty(rows.row(word.row + used - 1))) --used;
    return used;
  };
  std::size_t carried = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (slots_[s].front().group == Group::sum) continue;
    WordNumbers last;
    for (const Message& message : slots_[s]) last.push_back(received_[message.first + message.lanes - 1]);
    unsigned used = 0;
    for (const std::size_t i : last) used = std::max(used, used_bits(words_[i]));
    if (!opened_[s].empty()) last.push_back(opened_[s].back());
    for (const std::size_t i : last) words_[i].bits = used;
    // Skips outputs and broadcasts. The bits of a slot with a single sender are under that node's own masks.
    if (outputs_.has(slots_[s].front().label) || slots_[s].front().kind == SlotKind::broadcast) continue;
    carried += (slots_[s].front().lanes - 1) * 64 + used;
  }
  return carried;
}

std::size_t Catalogue::boolean_masks() const {
  std::size_t bits = 0;
  for (const Draw& draw : layout_.draws) {
    if (draw.kind == Draw::Kind::uniform && draw.group == Group::exclusive_or) bits += draw.lanes * draw.bits;
  }
  return bits;
}

WordNumbers Catalogue::view(Members members, bool opened) const {
  WordNumbers view;
  for (NodeId node = 0; node < layout_.topology.nodes(); ++node) {
    if (!holds(members, node)) continue;
    view.insert(view.end(), expanded_[node].begin(), expanded_[node].end());
  }
  if (holds(members, layout_.topology.last_party())) view.insert(view.end(), corrections_.begin(), corrections_.end());
  for (const auto& [ends, words] : pairs_) {
    if ((ends & members) != 0) view.insert(view.end(), words.begin(), words.end());
  }
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    std::vector<Message> outside;
    bool whole = true;
    for (const Message& message : slots_[s]) {
      if (holds(members, message.from)) continue;
      if ((message.receivers & members) != 0) {
        outside.push_back(message);
      } else {
        whole = false;
      }
    }
    if (outside.empty()) continue;
    const bool output = whole && outputs_.has(outside.back().label);
    const bool sum = whole && opened && !output && slots_[s].size() > 1;
    if (output || sum) outside.pop_back();
    if (sum) view.insert(view.end(), opened_[s].begin(), opened_[s].end());
    for (const Message& message : outside) {
      for (std::size_t lane = 0; lane < message.lanes; ++lane) view.push_back(received_[message.first + lane]);
    }
  }
  return view;
}

std::vector<Members> groups_of(const Topology& topology) {
  const Members all = (1u << topology.parties()) - 1;
  std::vector<Members> outside{1u << topology.outside_node()};
  if (topology.has_further_node()) outside.push_back(1u << topology.further_node());
  std::vector<Members> groups = outside;
  for (NodeId missing = 0; missing < topology.parties(); ++missing) {
    const Members parties = all & ~(1u << missing);
    groups.push_back(parties);
    for (const Members role : outside) groups.push_back(parties | role);
  }
  return groups;
}

enum class Bit { lowest, another };

struct Picked {
  std::vector<std::size_t> rows;
  std::vector<std::string> names;
};

Picked pick(const Catalogue& catalogue, const WordNumbers& view, Bit which) {
  Picked picked;
  for (const std::size_t i : view) {
    const RankedWord& word = catalogue.word(i);
    if (word.group == Group::sum) {
      picked.rows.push_back(word.row + (which == Bit::lowest ? 0 : 1));
      picked.names.push_back(which == Bit::lowest ? word.name
                                                  : word.name + ", bit " + std::to_string(word.other_bit()));
      continue;
    }
    for (unsigned bit = 0; bit < word.bits; ++bit) {
      picked.rows.push_back(word.row + bit);
      picked.names.push_back(word.name + ", bit " + std::to_string(bit));
    }
  }
  return picked;
}

BitRows matrix_of(const BitRows& all, const std::vector<std::size_t>& picked) {
  const std::size_t runs = picked.size() + more_runs;
  BitRows rows(picked.size() + 1, runs);
  const std::uint64_t last = ring_mask(static_cast<unsigned>((runs - 1) % 64 + 1));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::span<std::uint64_t> row = rows.row(i);
    if (i < picked.size()) {
      std::copy_n(all.row(picked[i]).begin(), row.size(), row.begin());
    } else {
      std::fill(row.begin(), row.end(), ~std::uint64_t{0});
    }
    row.back() &= last;
  }
  return rows;
}

std::string told(const std::vector<std::size_t>& related, const std::vector<std::string>& names) {
  const bool odd = related.back() == names.size();
  const std::size_t words = related.size() - (odd ? 1 : 0);
  std::string text = std::to_string(words) + " words, always " + (odd ? "odd" : "even") + ": ";
  for (std::size_t i = 0; i < std::min(words, most_named); ++i) text += (i == 0 ? "" : " + ") + names[related[i]];
  return text + (words > most_named ? " + ..." : "");
}

struct RankedView {
  std::string name;
  WordNumbers words;
  Bit bit;
};

std::vector<RankedView> views_of(const Catalogue& catalogue, const Topology& topology) {
  std::vector<RankedView> views;
  for (const Members group : groups_of(topology)) {
    const std::string name = "to " + describe(topology, group);
    views.push_back({name + ", lowest bits", catalogue.view(group, false), Bit::lowest});
    views.push_back({name + ", openings, lowest bits", catalogue.view(group, true), Bit::lowest});
    views.push_back({name + ", higher bits", catalogue.view(group, false), Bit::another});
  }
  views.push_back({"to the dealer, lowest bits", catalogue.view_of_dealer(), Bit::lowest});
  return views;
}

}  // namespace

RankOutcome examine_rank(const Experiment& experiment, std::size_t parties) {
  Secret secret{{}, experiment.first};
  const auto owner = static_cast<NodeId>(experiment.owned_by_actor ? parties : 0);
  for (std::size_t i = 0; i < experiment.owners; ++i) secret.owners.push_back(static_cast<NodeId>(owner + i));
  const Program program = [&](Party& party) { return experiment.program(party, secret); };
  const Layout layout = lay_out(Topology(parties, experiment.separate_rewarder), program);
  Catalogue catalogue(layout, experiment.outputs);
  const std::vector<RankedView> views = views_of(catalogue, layout.topology);

  RankOutcome outcome;
  for (const RankedView& view : views) {
    outcome.most_words = std::max(outcome.most_words, pick(catalogue, view.words, view.bit).rows.size());
  }
  outcome.runs = outcome.most_words + more_runs;
  BitRows bits(catalogue.rows(), outcome.runs);
  for (std::size_t run = 0; run < outcome.runs; ++run) {
    const std::uint64_t seed = fnv1a(experiment.name) + run;
    catalogue.write(record(layout, program, seed, catalogue.stream_bytes()), run, bits);
  }

  const std::size_t carried = catalogue.drop_padding(bits);
  if (carried != catalogue.boolean_masks()) {
    outcome.findings.push_back("Boolean messages carry " + std::to_string(carried) + " bits under masks of " +
                               std::to_string(catalogue.boolean_masks()));
  }
  std::set<std::vector<std::size_t>> done;
  for (const RankedView& view : views) {
    ++outcome.views;
    const Picked picked = pick(catalogue, view.words, view.bit);
    if (picked.rows.empty() || !done.insert(picked.rows).second) continue;
    if (const auto found = relation(matrix_of(bits, picked.rows))) {
      outcome.findings.push_back(view.name + ": " + told(*found, picked.names));
    }
  }
  return outcome;
}

}  // namespace sotto::privacy
