#include "sotto/protocol/sets/intersect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::protocols {
namespace {

using Elements = std::vector<GroupElement>;

constexpr std::string_view domain = "sotto intersect 1, ristretto255 SHA-512";
constexpr std::size_t element_words = sizeof(GroupElement) / sizeof(std::uint64_t);
constexpr NodeId comparing = 0;  // with three or more holders
constexpr NodeId mixing = 1;

Words words_of(std::span<const GroupElement> elements) {
  Words words(element_words * elements.size());
  if (!words.empty()) std::memcpy(words.data(), elements.data(), elements.size_bytes());
  return words;
}

Words words_of(const GroupScalar& scalar) {
  Words words(element_words);
  std::memcpy(words.data(), scalar.expose().data(), GroupScalar::size);
  return words;
}

Elements elements_of(const Words& words) {
  Elements elements(words.size() / element_words);
  if (!words.empty()) std::memcpy(elements.data(), words.data(), words.size() * sizeof(std::uint64_t));
  return elements;
}

[[noreturn]] void blame(const Party& party, NodeId sender, const char* what) {
  const std::string name = party.topology().name(sender);
  throw ProtocolError(ProtocolError::Kind::malformed, name, 0, fmt::format("{} sent {}", name, what));
}

struct Chunk {
  std::size_t from, to;
  [[nodiscard]] std::size_t size() const { return to - from; }
  [[nodiscard]] std::size_t lanes() const { return element_words * size(); }
};
Chunk chunk_of(std::uint64_t size, std::size_t number) {
  const std::size_t from = std::min<std::uint64_t>(number * chunk_ids, size);
  return {from, static_cast<std::size_t>(std::min<std::uint64_t>(from + chunk_ids, size))};
}
std::size_t chunks_of(std::uint64_t size) { return static_cast<std::size_t>((size + chunk_ids - 1) / chunk_ids); }

std::vector<std::size_t> secret_order(std::size_t size) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Prg random(Seed::from_os());
  for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

struct Transfer {
  NodeId from, to;
  std::uint64_t size;
  const Elements* elements;  // at `from`
};
// Called at `to` with each arriving chunk, so that `to` never computes on more than one chunk of a transfer between two
// rounds.
using OnChunk = std::function<void(std::size_t transfer, Elements& chunk)>;

class Intersection {
 public:
  Intersection(Party& party, std::vector<std::uint64_t> sizes, std::vector<std::string> ids, OnIntersect on_progress)
      : party_(party),
        sizes_(std::move(sizes)),
        ids_(std::move(ids)),
        on_progress_(std::move(on_progress)),
        holders_(party.topology().nodes()),
        key_(GroupScalar::from_os()),
        blind_(GroupScalar::from_os()),
        s_(GroupScalar::from_os()),
        u_(GroupScalar::from_os()) {
    for (NodeId node = 0; node < holders_; ++node) {
      if (party.is(node)) self_ = node;
    }
    to_raise_ = ids_.size() * (holders_ == 2 ? 1 : 3);
    for (NodeId owner = 0; owner < holders_; ++owner) {
      if (owner == self_) continue;
      to_raise_ += sizes_[owner] * (holders_ > 2 && self_ <= mixing ? 2 : 1);
    }
  }

  Task<std::vector<CommonId>> run() {
    party_.enter_phase("tags");
    co_await make_tags();
    party_.enter_phase("comparison");
    if (holders_ == 2) co_return common_of(in_both());
    co_return common_of(co_await compare());
  }

 private:
  // Hop h of set i is from holder i + h to the next holder. One chunk of each set starts in each round.
  Task<Unit> make_tags() {
    order_ = secret_order(ids_.size());
    std::vector<Elements> held(holders_);
    const std::size_t chunks = chunks_of(*std::max_element(sizes_.begin(), sizes_.end()));
    for (std::size_t turn = 0; chunks > 0 && turn < chunks + holders_ - 1; ++turn) {
      held[self_] = first_of(chunk_of(ids_.size(), turn));
      std::vector<Task<Words>> hops;
      std::vector<std::size_t> sets;
      for (std::size_t set = 0; set < holders_; ++set) {
        for (std::size_t hop = 0; hop < holders_ && hop <= turn; ++hop) {
          const Chunk chunk = chunk_of(sizes_[set], turn - hop);
          if (chunk.size() == 0) continue;
          const auto from = static_cast<NodeId>((set + hop) % holders_);
          const auto to = static_cast<NodeId>((from + 1) % holders_);
          Words words;
          if (party_.is(from)) words = words_of(held[set]);
          hops.push_back(deliver(party_, from, to, std::move(words), chunk.lanes(), "ids on their way"));
          sets.push_back(set);
        }
      }
      const std::vector<Words> arrived = co_await when_all(std::move(hops));
      for (std::size_t i = 0; i < arrived.size(); ++i) {
        if (!arrived[i].empty()) take(sets[i], elements_of(arrived[i]), held);
      }
    }
    tagged_.reserve(tags_.size());
    for (std::size_t i = 0; i < tags_.size(); ++i) tagged_.push_back({order_[i], tags_[i]});
    std::sort(tagged_.begin(), tagged_.end(), [](const CommonId& a, const CommonId& b) { return a.tag < b.tag; });
    const auto alike = std::adjacent_find(tagged_.begin(), tagged_.end(),
                                          [](const CommonId& a, const CommonId& b) { return a.tag == b.tag; });
    if (alike != tagged_.end()) blame(party_, before(), "one tag for two ids");
    co_return Unit{};
  }

  // Hashes the ids of a chunk to elements, and raises the elements to the holder's blind, or, with two holders, to the
  // holder's key.
  Elements first_of(const Chunk& chunk) {
    Elements elements(chunk.size());
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = hash_to_group(ids_[order_[chunk.from + i]], domain);
    raise(elements, holders_ == 2 ? key_ : blind_, self_);
    return elements;
  }

  void take(std::size_t set, Elements elements, std::vector<Elements>& held) {
    if (set == self_) {
      if (holders_ > 2) raise(elements, key_.times(blind_.inverse()), before());
      tags_.insert(tags_.end(), elements.begin(), elements.end());
      if (holders_ == 2) return;
      raise(elements, self_ == mixing ? u_ : s_, self_);
      blinded_.insert(blinded_.end(), elements.begin(), elements.end());
      return;
    }
    raise(elements, key_, before());
    if (holders_ == 2) others_.insert(others_.end(), elements.begin(), elements.end());
    held[set] = std::move(elements);
  }

  [[nodiscard]] NodeId before() const { return static_cast<NodeId>((self_ + holders_ - 1) % holders_); }

  void raise(Elements& elements, const GroupScalar& scalar, NodeId sender) {
    for (GroupElement& element : elements) {
      const auto raised = power(element, scalar);
      if (!raised) blame(party_, sender, "bytes that are no element of the group");
      element = *raised;
    }
    done_ += elements.size();
    if (on_progress_) on_progress_({done_, to_raise_});
  }
  [[nodiscard]] Elements in_both() {
    std::sort(others_.begin(), others_.end());
    Elements own = tags_;
    std::sort(own.begin(), own.end());
    Elements common;
    std::set_intersection(own.begin(), own.end(), others_.begin(), others_.end(), std::back_inserter(common));
    return common;
  }

  Task<Elements> compare() {
    const std::vector<GroupScalar> inverses = co_await tell_blinds();
    std::sort(blinded_.begin(), blinded_.end());

    std::vector<Transfer> to_mix;
    for (NodeId from = 0; from < holders_; ++from) {
      if (from != mixing) to_mix.push_back({from, mixing, sizes_[from], &blinded_});
    }
    const OnChunk mix = [&](std::size_t i, Elements& chunk) { raise(chunk, u_, to_mix[i].from); };
    std::vector<Elements> mixed = co_await transfer(to_mix, "blinded tags", mix);
    std::vector<Transfer> to_compare;
    for (std::size_t i = 0; i < to_mix.size(); ++i) {
      std::sort(mixed[i].begin(), mixed[i].end());
      to_compare.push_back({mixing, comparing, to_mix[i].size, &mixed[i]});
    }
    to_compare.push_back({mixing, comparing, sizes_[mixing], &blinded_});
    const OnChunk unblind = [&](std::size_t i, Elements& chunk) {
      if (i < inverses.size()) raise(chunk, inverses[i], mixing);
    };
    std::vector<Elements> compared = co_await transfer(to_compare, "blinded tags under u", unblind);
    Elements common;
    if (party_.is(comparing)) common = in_all(std::move(compared));
    co_return co_await spread(std::move(common));
  }

  // The holders 2, 3, ... send their blinds s to the comparing holder. The comparing holder returns the inverses of all
  // blinds s, its own first.
  Task<std::vector<GroupScalar>> tell_blinds() {
    std::vector<Task<Words>> deliveries;
    for (NodeId from = mixing + 1; from < holders_; ++from) {
      Words words;
      if (party_.is(from)) words = words_of(s_);
      deliveries.push_back(deliver(party_, from, comparing, std::move(words), element_words, "blind"));
    }
    const std::vector<Words> sent_words = co_await when_all(std::move(deliveries));
    std::vector<GroupScalar> inverses;
    if (!party_.is(comparing)) co_return inverses;
    inverses.reserve(sent_words.size() + 1);
    inverses.push_back(s_.inverse());
    for (std::size_t i = 0; i < sent_words.size(); ++i) {
      const auto blind = GroupScalar::from_bytes(std::as_bytes(std::span(sent_words[i])).first<GroupScalar::size>());
      if (!blind) blame(party_, static_cast<NodeId>(mixing + 1 + i), "a blind that is no scalar");
      inverses.push_back(blind->inverse());
    }
    co_return inverses;
  }

  Task<std::vector<Elements>> transfer(const std::vector<Transfer>& transfers, Label label, const OnChunk& on_chunk) {
    std::vector<Elements> arrived(transfers.size());
    std::size_t chunks = 0;
    for (const Transfer& t : transfers) chunks = std::max(chunks, chunks_of(t.size));
    for (std::size_t c = 0; c < chunks; ++c) {
      std::vector<Task<Words>> deliveries;
      std::vector<std::size_t> of;
      for (std::size_t i = 0; i < transfers.size(); ++i) {
        const Transfer& t = transfers[i];
        const Chunk chunk = chunk_of(t.size, c);
        if (chunk.size() == 0) continue;
        Words words;
        if (party_.is(t.from)) words = words_of(std::span(*t.elements).subspan(chunk.from, chunk.size()));
        deliveries.push_back(deliver(party_, t.from, t.to, std::move(words), chunk.lanes(), label));
        of.push_back(i);
      }
      const std::vector<Words> pieces = co_await when_all(std::move(deliveries));
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].empty()) continue;
        Elements elements = elements_of(pieces[i]);
        on_chunk(of[i], elements);
        arrived[of[i]].insert(arrived[of[i]].end(), elements.begin(), elements.end());
      }
    }
    co_return arrived;
  }

  static Elements in_all(std::vector<Elements> sets) {
    Elements common = std::move(sets[0]);
    std::sort(common.begin(), common.end());
    for (std::size_t i = 1; i < sets.size(); ++i) {
      std::sort(sets[i].begin(), sets[i].end());
      Elements both;
      std::set_intersection(common.begin(), common.end(), sets[i].begin(), sets[i].end(), std::back_inserter(both));
      common = std::move(both);
    }
    return common;
  }

  // The comparing holder sends the common elements, raised to u, to the mixing holder, which sends them to all holders.
  // Random elements fill up the size of the smallest set, to hide the number of common elements.
  Task<Elements> spread(Elements common) {
    const std::uint64_t size = *std::min_element(sizes_.begin(), sizes_.end());
    if (party_.is(comparing)) fill_up(common, size);
    const std::vector<Transfer> back{{comparing, mixing, size, &common}};
    const GroupScalar inverse = u_.inverse();
    const OnChunk take_u_off = [&](std::size_t, Elements& chunk) { raise(chunk, inverse, comparing); };
    std::vector<Elements> without_u = co_await transfer(back, "common tags under u", take_u_off);
    if (self_ == mixing) common = std::move(without_u[0]);
    std::sort(common.begin(), common.end());
    std::vector<Transfer> to_all;
    for (NodeId to = 0; to < holders_; ++to) {
      if (to != mixing) to_all.push_back({mixing, to, size, &common});
    }
    const OnChunk keep = [](std::size_t, Elements&) {};
    std::vector<Elements> sent_words = co_await transfer(to_all, "common tags", keep);
    for (Elements& tags : sent_words) {
      if (!tags.empty()) common = std::move(tags);
    }
    std::sort(common.begin(), common.end());
    if (std::adjacent_find(common.begin(), common.end()) != common.end()) {
      blame(party_, mixing, "one tag twice among the common ones");
    }
    co_return common;
  }

  // The random elements match no tag of any holder.
  static void fill_up(Elements& elements, std::uint64_t size) {
    const Seed seed = Seed::from_os();
    while (elements.size() < size) {
      const Seed own = seed.derive(fmt::format("filling {}", elements.size()));
      const auto bytes = own.expose();
      elements.push_back(hash_to_group({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, domain));
    }
    std::sort(elements.begin(), elements.end());
  }

  [[nodiscard]] std::vector<CommonId> common_of(const Elements& common) const {
    std::vector<CommonId> result;
    result.reserve(common.size());
    for (const GroupElement& tag : common) {
      const auto found = std::lower_bound(tagged_.begin(), tagged_.end(), tag,
                                          [](const CommonId& id, const GroupElement& t) { return id.tag < t; });
      if (found != tagged_.end() && found->tag == tag) result.push_back(*found);
    }
    return result;
  }

  Party& party_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::string> ids_;
  OnIntersect on_progress_;
  std::size_t holders_;
  NodeId self_ = 0;
  GroupScalar key_;
  GroupScalar blind_;
  GroupScalar s_, u_;  // blinds for the comparison, with three or more holders
  std::vector<std::size_t> order_;
  Elements tags_;
  std::vector<CommonId> tagged_;
  Elements blinded_;  // with three or more holders: own tags raised to s, or, at the mixing holder, to u
  Elements others_;   // with two holders: the other holder's tags
  std::uint64_t done_ = 0;
  std::uint64_t to_raise_ = 0;
};

}  // namespace

Task<std::vector<std::uint64_t>> announce_sizes(Party& party, std::uint64_t own) {
  const std::size_t holders = party.topology().nodes();
  std::vector<Task<Words>> deliveries;
  for (NodeId from = 0; from < holders; ++from) {
    for (NodeId to = 0; to < holders; ++to) {
      if (from == to) continue;
      Words size;
      if (party.is(from)) size.push_back(own);
      deliveries.push_back(deliver(party, from, to, std::move(size), 1, "number of ids"));
    }
  }
  const std::vector<Words> sent_words = co_await when_all(std::move(deliveries));
  std::vector<std::uint64_t> sizes(holders, own);
  std::size_t next = 0;
  for (NodeId from = 0; from < holders; ++from) {
    for (NodeId to = 0; to < holders; ++to) {
      if (from == to) continue;
      const Words& size = sent_words[next++];
      if (!size.empty()) sizes[from] = size[0];
    }
    if (sizes[from] > most_ids) blame(party, from, "a number of ids that is too large");
  }
  co_return sizes;
}

Task<std::vector<CommonId>> intersect(Party& party, std::vector<std::uint64_t> sizes, std::vector<std::string> ids,
                                      OnIntersect on_progress) {
  require_argument(!party.topology().has_dealer(), "holders of ids, without a dealer");
  require_argument(sizes.size() == party.topology().nodes(), "a size a holder");
  for (NodeId node = 0; node < sizes.size(); ++node) {
    require_argument(sizes[node] <= most_ids, "at most most_ids ids");
    require_argument(!party.is(node) || sizes[node] == ids.size(), "the size of the holder's own set");
  }
  require_argument(std::unordered_set<std::string_view>(ids.begin(), ids.end()).size() == ids.size(), "distinct ids");
  Intersection intersection(party, std::move(sizes), std::move(ids), std::move(on_progress));
  co_return co_await intersection.run();
}

}  // namespace sotto::protocols
