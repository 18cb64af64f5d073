#include "tests/privacy/view.h"

namespace sotto::privacy {
namespace {

// Number of examined lanes of a longer message. The examined lanes are evenly spaced and include the first and the last
// lane.
constexpr std::size_t most_viewed_lanes = 16;

std::vector<std::size_t> chosen_of(std::size_t lanes) { return evenly_spaced(lanes, most_viewed_lanes); }

template <class WordOf>
Word collect(const Runs& runs, std::string name, unsigned bits, WordOf word_of) {
  Word word{std::move(name), bits, {}};
  for (unsigned secret = 0; secret < 2; ++secret) {
    for (std::size_t i = 0; i < repetitions; ++i) word.under[secret][i] = word_of(runs[secret][i]);
  }
  return word;
}

// The lanes of a Boolean message are sent packed, and the last word may end in padding.
void without_padding(Word& word) {
  std::uint64_t used = 0;
  for (const Samples& samples : word.under) {
    for (const std::uint64_t value : samples) used |= value;
  }
  word.bits = static_cast<unsigned>(std::bit_width(used));
}

// Keeps only the bits that are set in at least one sample, and moves them next to each other. A bit that is 0 under
// both secrets reveals nothing: such bits fill up bytes and words of the messages by which parties make randomness.
void without_unused_bits(Word& word) {
  std::uint64_t used = 0;
  for (const Samples& samples : word.under) {
    for (const std::uint64_t value : samples) used |= value;
  }
  word.bits = static_cast<unsigned>(std::popcount(used));
  for (Samples& samples : word.under) {
    for (std::uint64_t& value : samples) value = gathered_bits(value, used);
  }
}

struct View {
  std::vector<Word> received;
  std::vector<Word> opened;
  std::vector<Word> rest;
};

class Viewer {
 public:
  Viewer(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs)
      : layout_(layout), runs_(runs), members_(members), outputs_(outputs) {}

  View view() {
    for (const Message& message : layout_.messages) add_message(message);
    add_openings();
    add_results();
    return std::move(view_);
  }

 private:
  void add(std::vector<Word>& to, const Message& message, Word word, std::size_t lane) const {
    if (!layout_.topology.has_dealer()) {
      without_unused_bits(word);
    } else if (message.group == Group::exclusive_or && lane + 1 == message.lanes) {
      without_padding(word);
    }
    if (word.bits > 0) to.push_back(std::move(word));
  }

  void add_message(const Message& message) {
    const bool sent = holds(members_, message.from);
    if (!sent && (message.receivers & members_) == 0) return;
    const bool rest = sent || outputs_.has(message.label);
    const std::string what = (sent ? "sent by " : "received from ") + layout_.topology.name(message.from);
    for (const std::size_t lane : chosen_of(message.lanes)) {
      const std::size_t at = message.first + lane;
      Word word =
          collect(runs_, name_of(message, lane, what), message.bits, [at](const Run& run) { return run.words[at]; });
      add(rest ? view_.rest : view_.received, message, std::move(word), lane);
    }
  }

  // If the members see the lanes of all senders of a slot, this function adds the opened value.
  void add_openings() {
    for (const std::vector<Message>& slot : slots_of(layout_)) {
      if (slot.size() > 1 && seen_whole(slot)) add_opening(slot);
    }
  }

  bool seen_whole(const std::vector<Message>& shares) const {
    return std::all_of(shares.begin(), shares.end(), [&](const Message& share) {
      return holds(members_, share.from) || (share.receivers & members_) != 0;
    });
  }

  void add_opening(const std::vector<Message>& shares) {
    const Message& slot = shares.front();
    for (const std::size_t lane : chosen_of(slot.lanes)) {
      const auto combined = [&](const Run& run) { return opened_lane(shares, run, lane); };
      add(outputs_.has(slot.label) ? view_.rest : view_.opened, slot,
          collect(runs_, name_of(slot, lane, "opened"), slot.bits, combined), lane);
    }
  }

  void add_results() {
    const Topology& topology = layout_.topology;
    std::vector<NodeId> parties;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (!holds(members_, node)) continue;
      if (topology.is_party(node)) parties.push_back(node);
      for (const std::size_t i : chosen_of(runs_[0][0].results[node].size())) {
        view_.rest.push_back(collect(runs_, "result " + std::to_string(i) + " of " + topology.name(node), 64,
                                     [node, i](const Run& run) { return run.results[node].at(i); }));
      }
    }
    if (parties.size() < 2) return;
    for (const std::size_t i : chosen_of(runs_[0][0].results[parties.front()].size())) {
      view_.rest.push_back(collect(runs_, "sum of results " + std::to_string(i), 64, [&parties, i](const Run& run) {
        std::uint64_t sum = 0;
        for (const NodeId p : parties) sum += run.results[p].at(i);
        return sum;
      }));
    }
  }

  const Layout& layout_;
  const Runs& runs_;
  Members members_;
  const Outputs& outputs_;
  View view_;
};

std::uint64_t window(const Bytes& bytes, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, std::min<std::size_t>(8, bytes.size() - offset));
  return word;
}

// Limits on the number of paired words. If there are more words, evenly spaced words are paired. The constant
// most_paired limits the received words, the opened words, and the words of the rest of the view. The constant
// most_held_against limits the fresh words that are paired with every held word.
constexpr std::size_t most_paired = 64;
constexpr std::size_t most_held_against = 40;

using Chosen = std::vector<const Word*>;

Chosen spread(const std::vector<Word>& words, std::size_t most) {
  Chosen chosen;
  for (const std::size_t i : evenly_spaced(words.size(), most)) chosen.push_back(&words[i]);
  return chosen;
}

void pairs_within(const Chosen& words, Expect expect, Examination& examination) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) examination.pair(*words[i], *words[j], expect);
  }
}
void pairs_between(const Chosen& a, const Chosen& b, Expect expect, Examination& examination) {
  for (const Word* x : a) {
    for (const Word* y : b) examination.pair(*x, *y, expect);
  }
}

void beside(const Chosen& fresh, const Word& held, Examination& examination) {
  for (const Word* word : fresh) examination.pair(*word, held, Expect::uniform_and_alike);
}

void examine_expansions(const Layout& layout, const Runs& runs, Members members, const Chosen& fresh,
                        Examination& examination) {
  std::vector<NodeId> parties;
  for (NodeId node = 0; node < layout.topology.nodes(); ++node) {
    if (!holds(members, node)) continue;
    if (layout.topology.is_party(node)) parties.push_back(node);
    for (std::size_t at = 0; at < runs[0][0].streams[node].size(); ++at) {
      beside(fresh,
             collect(runs, "byte " + std::to_string(at) + " on of the expansion of " + layout.topology.name(node), 64,
                     [node, at](const Run& run) { return window(run.streams[node], at); }),
             examination);
    }
  }
  if (parties.size() < 2) return;
  for (std::size_t at = 0; at < runs[0][0].streams[0].size(); ++at) {
    beside(fresh,
           collect(runs, "byte " + std::to_string(at) + " on of all expansions added up", 64,
                   [&parties, at](const Run& run) {
                     std::uint64_t sum = 0;
                     for (const NodeId p : parties) sum += window(run.streams[p], at);
                     return sum;
                   }),
           examination);
  }
}

// The last byte of a block of lanes may be incomplete, and then ends in zero bits.
constexpr double most_padding = 0.05;

void examine_corrections(const Runs& runs, const Chosen& fresh, Examination& examination) {
  const std::size_t bytes = runs[0][0].chunks.size();
  std::array<std::uint64_t, 256> counts{};
  std::size_t padded = 0;
  for (std::size_t at = 0; at < bytes; ++at) {
    Word byte = collect(runs, "byte " + std::to_string(at) + " of the corrections", 8,
                        [at](const Run& run) { return std::to_integer<std::uint64_t>(run.chunks.at(at)); });
    without_padding(byte);
    if (byte.bits < 8) ++padded;
    if (byte.bits > 0) examination.word(byte, Expect::uniform_and_alike);
    for (const Samples& samples : byte.under) {
      if (byte.bits < 8) continue;
      for (const std::uint64_t value : samples) ++counts[value];
    }
    if (at >= runs[0][0].streams[0].size()) continue;
    beside(fresh,
           collect(runs, "byte " + std::to_string(at) + " on of the corrections", 64,
                   [at](const Run& run) { return window(run.chunks, at); }),
           examination);
  }
  if (static_cast<double>(padded) > most_padding * static_cast<double>(bytes) + 16) {
    throw std::logic_error("corrections with " + std::to_string(padded) + " short bytes of " + std::to_string(bytes));
  }
  examination.bytes("the corrections", counts);
}

void count_bytes(const std::vector<Word>& words, std::array<std::uint64_t, 256>& counts) {
  for (const Word& word : words) {
    for (const Samples& samples : word.under) {
      for (const std::uint64_t value : samples) {
        for (unsigned low = 0; low + 8 <= word.bits; low += 8) ++counts[value >> low & 255];
      }
    }
  }
}

}  // namespace

std::vector<std::size_t> evenly_spaced(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(count, most); ++i) {
    chosen.push_back(count <= most ? i : i * (count - 1) / (most - 1));
  }
  return chosen;
}

std::uint64_t gathered_bits(std::uint64_t word, std::uint64_t chosen) {
  std::uint64_t gathered = 0;
  for (unsigned to = 0; chosen != 0; ++to, chosen &= chosen - 1) {
    gathered |= (word >> std::countr_zero(chosen) & 1) << to;
  }
  return gathered;
}

bool Outputs::has(const std::string& label) const {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

std::string describe(const Topology& topology, Members members) {
  std::string text;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (holds(members, node)) text += (text.empty() ? "" : ", ") + topology.name(node);
  }
  return text;
}

void examine(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs,
             Examination& examination) {
  const View view = Viewer(layout, runs, members, outputs).view();
  for (const Word& word : view.received) examination.word(word, Expect::uniform_and_alike);
  for (const Word& word : view.opened) examination.word(word, Expect::uniform_and_alike);
  for (const Word& word : view.rest) examination.word(word, Expect::alike);
  const Chosen received = spread(view.received, most_paired);
  const Chosen opened = spread(view.opened, most_paired);
  const Chosen rest = spread(view.rest, most_paired);
  pairs_within(received, Expect::uniform_and_alike, examination);
  pairs_within(opened, Expect::uniform_and_alike, examination);
  pairs_within(rest, Expect::alike, examination);
  pairs_between(received, opened, Expect::alike, examination);
  pairs_between(received, rest, Expect::alike, examination);
  pairs_between(opened, rest, Expect::alike, examination);

  std::array<std::uint64_t, 256> counts{};
  count_bytes(view.received, counts);
  count_bytes(view.opened, counts);
  examination.bytes("what is received and opened", counts);

  Chosen fresh = spread(view.received, most_held_against / 2);
  for (const Word* word : spread(view.opened, most_held_against / 2)) fresh.push_back(word);
  examine_expansions(layout, runs, members, fresh, examination);
  if (layout.topology.has_dealer() && holds(members, layout.topology.last_party()))
    examine_corrections(runs, fresh, examination);
}

}  // namespace sotto::privacy
