// Who takes part in a run, and what each is called.
//
// A node is a process that exchanges frames. There are two kinds of runs:
// - with a dealer: the compute parties 0..n-1, then the actor, then the rewarder when it has a process of its own. The
//   dealer is no node of the rounds: it sends chunks over links of its own.
// - without a dealer: the parties 0..n-1, then perhaps one further node. The program names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto {

using NodeId = std::uint8_t;

inline constexpr std::size_t max_parties = 8;
inline constexpr std::size_t max_nodes = max_parties + 2;

// What a program without a dealer calls its nodes. Of static storage.
struct NodeNames {
  const char* first_party = "party 0";
  const char* other_party = "party";  // its number follows
  const char* further = "helper";
  const char* parties = "parties";  // all of them
};
inline constexpr NodeNames plain_names{};

// What a process does in a run. The actor's process is also the rewarder unless the topology says otherwise. The last
// three are of runs without a dealer.
enum class Role : std::uint8_t { party, actor, rewarder, dealer, planner, active, passive, mask_generator };

class Topology {
 public:
  // Throws std::invalid_argument unless 2 <= parties <= max_parties.
  explicit Topology(std::size_t parties, bool separate_rewarder = false);

  // Same error.
  [[nodiscard]] static Topology without_dealer(std::size_t parties, bool further_node,
                                               const NodeNames& names = plain_names);

  [[nodiscard]] bool has_dealer() const noexcept { return names_ == nullptr; }
  [[nodiscard]] std::size_t parties() const noexcept { return parties_; }
  // A node beside the parties and the actor: a rewarder of its own, or the one that the program names.
  [[nodiscard]] bool has_further_node() const noexcept { return further_; }
  [[nodiscard]] bool separate_rewarder() const noexcept { return has_dealer() && further_; }
  [[nodiscard]] std::size_t nodes() const noexcept { return parties_ + (has_dealer() ? 1 : 0) + (further_ ? 1 : 0); }
  [[nodiscard]] bool is_party(NodeId node) const noexcept { return node < parties_; }
  [[nodiscard]] NodeId last_party() const noexcept { return static_cast<NodeId>(parties_ - 1); }
  // Who acts on what is opened, and who gets the rewards of it; without a dealer both are party 0.
  [[nodiscard]] NodeId actor() const noexcept { return static_cast<NodeId>(has_dealer() ? parties_ : 0); }
  [[nodiscard]] NodeId rewarder() const noexcept {
    return static_cast<NodeId>(actor() + (separate_rewarder() ? 1 : 0));
  }
  // Only where there is one, and no dealer.
  [[nodiscard]] NodeId further_node() const noexcept { return static_cast<NodeId>(parties_); }
  // "party 0", "actor", "rewarder", or as the program says.
  [[nodiscard]] std::string name(NodeId node) const;

  // Names do not count.
  friend bool operator==(const Topology& a, const Topology& b) noexcept {
    return a.has_dealer() == b.has_dealer() && a.parties_ == b.parties_ && a.further_ == b.further_;
  }

 private:
  Topology(const NodeNames* names, std::size_t parties, bool further_node);

  const NodeNames* names_;  // nullptr: with a dealer
  std::size_t parties_;
  bool further_;
};

}  // namespace sotto
