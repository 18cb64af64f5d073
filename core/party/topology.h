// Who takes part in a run, and what each is called.
//
// A node is a process that exchanges frames: the compute parties 0..n-1, then the actor, then the
// rewarder when it has a process of its own. The dealer is no node of the rounds: it sends chunks
// over links of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto {

using NodeId = std::uint8_t;

inline constexpr std::size_t max_parties = 8;
inline constexpr std::size_t max_nodes = max_parties + 2;

// What a process does in a run. The actor's process is also the rewarder unless the topology says
// otherwise.
enum class Role : std::uint8_t { party, actor, rewarder, dealer, planner };

class Topology {
 public:
  // Throws std::invalid_argument unless 2 <= parties <= max_parties.
  explicit Topology(std::size_t parties, bool separate_rewarder = false);

  [[nodiscard]] std::size_t parties() const noexcept { return parties_; }
  [[nodiscard]] bool separate_rewarder() const noexcept { return separate_rewarder_; }
  [[nodiscard]] std::size_t nodes() const noexcept {
    return parties_ + (separate_rewarder_ ? 2 : 1);
  }
  [[nodiscard]] bool is_party(NodeId node) const noexcept { return node < parties_; }
  [[nodiscard]] NodeId last_party() const noexcept { return static_cast<NodeId>(parties_ - 1); }
  [[nodiscard]] NodeId actor() const noexcept { return static_cast<NodeId>(parties_); }
  [[nodiscard]] NodeId rewarder() const noexcept {
    return static_cast<NodeId>(parties_ + (separate_rewarder_ ? 1 : 0));
  }
  // "party 0", "actor", "rewarder".
  [[nodiscard]] std::string name(NodeId node) const;

  friend bool operator==(const Topology&, const Topology&) = default;

 private:
  std::size_t parties_;
  bool separate_rewarder_;
};

}  // namespace sotto
