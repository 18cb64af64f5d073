// Who takes part in a run, and what each is called.
//
// A node is a process that exchanges frames. There are two casts:
// - sharing: the compute parties 0..n-1, then the actor, then the rewarder when it has a process of
//   its own. The dealer is no node of the rounds: it sends chunks over links of its own.
// - masking (O3M): the participants 0..n-1, of which 0 is the active one, then the mask generator
//   when it is a third party. Nobody deals; the participants count as the parties of the rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto {

using NodeId = std::uint8_t;

inline constexpr std::size_t max_parties = 8;
inline constexpr std::size_t max_nodes = max_parties + 2;

// Which kind of program the roles are there for.
enum class Cast : std::uint8_t { sharing, masking };

// What a process does in a run. The actor's process is also the rewarder unless the topology says
// otherwise. The last three are those of an O3M run.
enum class Role : std::uint8_t {
  party,
  actor,
  rewarder,
  dealer,
  planner,
  active,
  passive,
  mask_generator
};

class Topology {
 public:
  // Throws std::invalid_argument unless 2 <= parties <= max_parties.
  explicit Topology(std::size_t parties, bool separate_rewarder = false);

  // The cast of an O3M run. Same error.
  [[nodiscard]] static Topology masking(std::size_t participants, bool third_party_generator);

  [[nodiscard]] Cast cast() const noexcept { return cast_; }
  [[nodiscard]] bool has_dealer() const noexcept { return cast_ == Cast::sharing; }
  [[nodiscard]] std::size_t parties() const noexcept { return parties_; }
  [[nodiscard]] bool separate_rewarder() const noexcept { return has_dealer() && one_more_; }
  [[nodiscard]] bool third_party_generator() const noexcept { return !has_dealer() && one_more_; }
  [[nodiscard]] std::size_t nodes() const noexcept {
    return parties_ + (has_dealer() ? 1 : 0) + (one_more_ ? 1 : 0);
  }
  [[nodiscard]] bool is_party(NodeId node) const noexcept { return node < parties_; }
  [[nodiscard]] NodeId last_party() const noexcept { return static_cast<NodeId>(parties_ - 1); }
  // Who pulls the arms and who gets the rewards; in a masking cast the active participant.
  [[nodiscard]] NodeId actor() const noexcept {
    return static_cast<NodeId>(has_dealer() ? parties_ : 0);
  }
  [[nodiscard]] NodeId rewarder() const noexcept {
    return static_cast<NodeId>(actor() + (separate_rewarder() ? 1 : 0));
  }
  // The mask generator of its own; only where there is one.
  [[nodiscard]] NodeId generator() const noexcept { return static_cast<NodeId>(parties_); }
  // "party 0", "actor", "rewarder"; "active participant", "passive participant 1", "mask generator".
  [[nodiscard]] std::string name(NodeId node) const;

  friend bool operator==(const Topology&, const Topology&) = default;

 private:
  Topology(Cast cast, std::size_t parties, bool one_more);

  Cast cast_;
  std::size_t parties_;
  bool one_more_;  // a rewarder, or a mask generator, of its own
};

}  // namespace sotto
