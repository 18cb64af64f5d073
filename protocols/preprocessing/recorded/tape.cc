#include "protocols/preprocessing/recorded/tape.h"

#include <map>
#include <utility>

#include "core/party/no_preprocessing.h"
#include "protocols/preprocessing/recorded/holder_side.h"
#include "protocols/preprocessing/recorded/material_sides.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

template <class Key>
using Groups = std::map<Key, PoolVector<std::size_t>>;

template <class Requests, class KeyOf>
auto grouped(const Requests& requests, KeyOf key_of) {
  Groups<decltype(key_of(requests[0]))> groups;
  for (std::size_t i = 0; i < requests.size(); ++i) groups[key_of(requests[i])].push_back(i);
  return groups;
}

Task<PoolVector<TruncationMasks>> make_truncations(Party& party, PieceProtocols& pieces,
                                                   const MessageRequests& requests) {
  const auto groups = grouped(requests.truncations, [](const auto& request) { return request.f; });
  PoolVector<Task<TruncationMasks>> tasks;
  for (const auto& [f, numbers] : groups) {
    std::size_t lanes = 0;
    for (const std::size_t i : numbers) lanes += requests.truncations[i].lanes;
    tasks.push_back(pieces.truncation_masks(party, tasks.size(), lanes, f, "truncation masks"));
  }
  co_return co_await when_all(std::move(tasks));
}

PoolVector<TruncationPart> parts_of(const MessageRequests& requests) {
  const auto groups = grouped(requests.truncations, [](const auto& request) { return request.f; });
  PoolVector<TruncationPart> parts(requests.truncations.size());
  std::size_t group = 0;
  for (const auto& [f, numbers] : groups) {
    std::size_t first = 0;
    for (const std::size_t i : numbers) {
      const std::size_t lanes = requests.truncations[i].lanes;
      parts[i] = {group, first, lanes};
      first += lanes;
    }
    ++group;
  }
  return parts;
}

Task<PoolVector<Additive>> make_numbers(Party& party, PieceProtocols& pieces, const MessageRequests& requests) {
  const auto groups = grouped(requests.numbers, [](const auto& request) { return request.lanes; });
  PoolVector<Task<PoolVector<Additive>>> tasks;
  for (const auto& [lanes, numbers] : groups) {
    NumberPieces planes;
    RingWidths widths;
    for (const std::size_t i : numbers) {
      planes.push_back(pieces.self() ? requests.planes[i] : BitPieces{lanes, {}, {}});
      widths.push_back(requests.numbers[i].ring_bits);
    }
    tasks.push_back(
        pieces.bits_as_shares(party, tasks.size(), std::move(planes), std::move(widths), "bits as numbers"));
  }
  auto all = co_await when_all(std::move(tasks));
  PoolVector<Additive> result(requests.numbers.size());
  std::size_t group = 0;
  for (const auto& [lanes, numbers] : groups) {
    for (std::size_t i = 0; i < numbers.size(); ++i) result[numbers[i]] = std::move(all[group][i]);
    ++group;
  }
  co_return result;
}

// After each stretch, nodes outside the parties and party 0 tell each other how many stretches their stocks have. The
// parties themselves wait for one another while they make a stretch. So no role is more than one stretch ahead of
// another role, even if the roles are stopped.
Task<void> keep_in_step(Party& party, std::uint64_t stretches) {
  const Topology& topology = party.topology();
  PoolVector<Task<Words>> tasks;
  for (NodeId outside = static_cast<NodeId>(topology.parties()); outside < topology.nodes(); ++outside) {
    for (const auto& [from, to] : {std::pair{NodeId{0}, outside}, std::pair{outside, NodeId{0}}}) {
      Words mine(party.is(from) ? 1 : 0, stretches);
      tasks.push_back(deliver(party, from, to, std::move(mine), 1, "stretches in stock"));
    }
  }
  for (const Words& heard : co_await when_all(std::move(tasks))) {
    if (heard.empty() || heard[0] == stretches) continue;
    throw ProtocolError(ProtocolError::Kind::malformed, "a role", party.rounds().round(),
                        "the stock of a role has another number of stretches");
  }
}

Task<void> make_sizes(Party& party, PieceProtocols& pieces, MessageRequests requests) {
  auto [truncations, indices, choices] =
      co_await when_all(make_truncations(party, pieces, requests), make_index_masks(party, pieces, requests.tables),
                        make_choices(party, pieces, requests.tables));
  TableMasks none;
  auto [numbers, tables] = co_await when_all(
      make_numbers(party, pieces, requests),
      make_tables(party, pieces, requests.tables, std::move(indices.bits), std::move(choices), std::move(none)));
}

}  // namespace

Task<void> PlayedSide::next_stretch(Party& party) {
  marked_ = true;
  const Slot slot{"next stretch", SlotKind::open, 64, 0};
  co_await Exchange(party.rounds(), slot, {}, {});
}

class Tape::Recording {
 public:
  // `again` means that stretches may be played once more.
  Recording(PieceProtocols& pieces, const StartPlayer& start, bool again)
      : keeps_(again || pieces.shares_take_all_pieces()),
        shapes_(pieces, material_, requests_),
        own_(PieceSide::Of::own, keeps_, pieces, material_, requests_, operands_),
        next_(PieceSide::Of::next, keeps_, pieces, material_, requests_, operands_),
        of_0_(0, pieces, holders_),
        of_1_(1, pieces, holders_),
        on_shapes_(start(shapes_)) {
    if (pieces.pieces() == 1) {
      on_0_ = start(of_0_);
      on_1_ = start(of_1_);
    }
    if (!pieces.self()) return;
    on_own_ = start(own_);
    if (pieces.pieces() == 2) on_next_ = start(next_);
  }

  void play_shapes() {
    material_ = {};
    play_shapes(StretchState::to_make);
  }
  void play_pieces() { play_pieces(StretchState::to_make); }
  [[nodiscard]] RecordedMaterial play_again(RecordedMaterial material) {
    material_ = std::move(material);
    play_shapes(StretchState::made);
    play_pieces(StretchState::made);
    return std::move(material_);
  }

  [[nodiscard]] RecordedMaterial& material() { return material_; }
  [[nodiscard]] MessageRequests& requests() { return requests_; }
  [[nodiscard]] bool ended() const { return on_shapes_->ended(); }

 private:
  void play_shapes(StretchState stretch) {
    shapes_.begin_stretch(stretch);
    requests_ = {};
    on_shapes_->play_stretch();
    for (const auto& [side, player] : {std::pair{&of_0_, on_0_.get()}, std::pair{&of_1_, on_1_.get()}}) {
      side->begin_stretch(stretch);
      if (player != nullptr) player->play_stretch();
    }
    holders_ = {};
  }
  void play_pieces(StretchState stretch) {
    for (const auto& [side, player] : {std::pair{&own_, on_own_.get()}, std::pair{&next_, on_next_.get()}}) {
      side->begin_stretch(stretch);
      if (player != nullptr) player->play_stretch();
    }
    operands_ = {};
    // The next pieces are needed only to make further stretches.
    if (keeps_) return;
    for (TruncationMasks& group : material_.truncation_groups) group.mu.next = group.h.next = {};
  }

  bool keeps_;
  RecordedMaterial material_;
  MessageRequests requests_;
  OwnOperands operands_;
  ShapeSide shapes_;
  PieceSide own_, next_;
  PoolVector<OperandHolders> holders_;
  HolderSide of_0_, of_1_;
  std::unique_ptr<Player> on_shapes_, on_0_, on_1_, on_own_, on_next_;
};

Tape::Tape(PieceProtocols& pieces, StartPlayer start, MaterialStock* stock)
    : pieces_(pieces), stock_(stock), recording_(std::make_unique<Recording>(pieces, start, stock != nullptr)) {}
Tape::~Tape() = default;

Task<RecordedMaterial> Tape::next_stretch(Party& party) {
  RecordedMaterial material;
  if (stock_ == nullptr || taken_ == stock_->stretches()) {
    material = co_await made_stretch(party);
  } else {
    material = stock_->take(taken_++);
    // If the stock has the whole program, no further stretch is made.
    if (!stock_->is_whole()) material = recording_->play_again(std::move(material));
  }
  pieces_.to_shares(material);
  co_return std::move(material);
}

Task<void> Tape::fill_stock(Party& party, std::function<bool()> enough) {
  for (std::uint64_t number = 0; number < stock_->stretches(); ++number) {
    static_cast<void>(recording_->play_again(stock_->read(number)));
  }
  while (!recording_->ended() && !enough()) {
    const RecordedMaterial material = co_await made_stretch(party);
    stock_->put(material, recording_->ended());
    co_await keep_in_step(party, stock_->stretches());
  }
}

Task<RecordedMaterial> Tape::made_stretch(Party& party) {
  recording_->play_shapes();
  RecordedMaterial& material = recording_->material();
  MessageRequests& requests = recording_->requests();
  const DryRun dry_run = [&](PieceProtocols& sizes) {
    NoPreprocessing none;
    Rounds rounds(party.topology(), std::nullopt);
    Party alone(rounds, none);
    Task<void> task = make_sizes(alone, sizes, requests);
    task.start_on(rounds);
    while (rounds.gather()) rounds.scatter();
  };
  co_await pieces_.make_ready(party, dry_run);
  auto [truncations, indices, choices] =
      co_await when_all(make_truncations(party, pieces_, requests), make_index_masks(party, pieces_, requests.tables),
                        make_choices(party, pieces_, requests.tables));
  material.truncation_groups = std::move(truncations);
  material.truncations = parts_of(requests);
  material.indices = std::move(indices.numbers);
  recording_->play_pieces();
  auto [products, numbers, tables] =
      co_await when_all(pieces_.make_products(party), make_numbers(party, pieces_, requests),
                        make_tables(party, pieces_, requests.tables, std::move(indices.bits), std::move(choices),
                                    std::move(requests.masks)));
  material.products = std::move(products.products);
  material.cuts = std::move(products.cuts);
  material.numbers = std::move(numbers);
  material.tables = std::move(tables.tables);
  material.places = std::move(tables.places);
  co_await pieces_.confirm_same_requests(party);
  co_return std::move(material);
}

}  // namespace sotto::protocols
