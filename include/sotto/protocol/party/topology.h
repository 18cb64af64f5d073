// The nodes of a run: processes that exchange frames in rounds.
//
// The compute parties 0..n-1 come first, then owners, then perhaps an outside node, then perhaps a further node. The
// program decides what the further node does. Owners give inputs and receive no result; the outside node gives inputs
// and receives results. The dealer is not a node: it sends chunks over its own links. A run of two parties without a
// dealer may have a helper. The helper comes directly after the parties, and a run with a helper has no owners. The
// helper makes randomness, and is no party of the computation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto {

using NodeId = std::uint8_t;

inline constexpr std::size_t max_parties = 8;
inline constexpr std::size_t max_owners = 8;
inline constexpr std::size_t max_owners_and_parties = 11;  // a run with owners has at most three parties
inline constexpr std::size_t max_nodes = max_owners_and_parties + 2;

// The names that a program gives its nodes, in static storage.
struct NodeNames {
  const char* first_party = "party 0";
  const char* other_party = "party";  // a number follows
  const char* outside = "outside node";
  const char* further = "further node";
  const char* parties = "compute parties";
  const char* owner = "owner";  // a number follows
  const char* helper = "helper";
};
inline constexpr NodeNames plain_names{};

// The nodes of one run. Throws std::invalid_argument unless 2 <= parties <= max_parties.
class Topology {
 public:
  // A run with a dealer and an outside node.
  explicit Topology(std::size_t parties, bool further_node = false, const NodeNames& names = plain_names)
      : Topology(parties, true, true, further_node, names) {}

  // A run with a dealer, whose only other nodes are the parties.
  [[nodiscard]] static Topology parties_alone(std::size_t parties, const NodeNames& names = plain_names) {
    return Topology(parties, true, false, false, names);
  }

  [[nodiscard]] static Topology without_dealer(std::size_t parties, bool further_node,
                                               const NodeNames& names = plain_names) {
    return Topology(parties, false, false, further_node, names);
  }
  [[nodiscard]] static Topology without_dealer(std::size_t parties, bool outside_node, bool further_node,
                                               const NodeNames& names = plain_names) {
    return Topology(parties, false, outside_node, further_node, names);
  }

  [[nodiscard]] static Topology with_helper(bool outside_node, bool further_node, const NodeNames& names = plain_names);

  // Throws std::invalid_argument for more than max_owners owners, for more than max_owners_and_parties owners and
  // parties, and for a topology with a helper.
  [[nodiscard]] Topology with_owners(std::size_t owners) const;

  [[nodiscard]] bool has_dealer() const noexcept { return dealer_; }
  [[nodiscard]] std::size_t parties() const noexcept { return parties_; }
  [[nodiscard]] bool has_further_node() const noexcept { return further_; }
  [[nodiscard]] std::size_t owners() const noexcept { return owners_; }
  [[nodiscard]] std::size_t parties_and_owners() const noexcept { return parties_ + owners_; }
  [[nodiscard]] std::size_t nodes() const noexcept {
    return parties_and_owners() + (helper_ ? 1 : 0) + (outside_ ? 1 : 0) + (further_ ? 1 : 0);
  }
  [[nodiscard]] bool is_party(NodeId node) const noexcept { return node < parties_; }
  [[nodiscard]] bool has_helper() const noexcept { return helper_; }
  [[nodiscard]] bool is_helper(NodeId node) const noexcept { return helper_ && node == parties_; }
  // The helper's number. Call only if has_helper().
  [[nodiscard]] NodeId helper() const noexcept { return static_cast<NodeId>(parties_); }
  [[nodiscard]] bool is_owner(NodeId node) const noexcept { return node >= parties_ && node < parties_and_owners(); }
  [[nodiscard]] NodeId owner(std::size_t number) const noexcept { return static_cast<NodeId>(parties_ + number); }
  [[nodiscard]] NodeId last_party() const noexcept { return static_cast<NodeId>(parties_ - 1); }
  [[nodiscard]] bool has_outside_node() const noexcept { return outside_; }
  // The outside node's number. Call only if has_outside_node().
  [[nodiscard]] NodeId outside_node() const noexcept {
    return static_cast<NodeId>(parties_and_owners() + (helper_ ? 1 : 0));
  }
  // The further node's number. Call only if has_further_node().
  [[nodiscard]] NodeId further_node() const noexcept { return static_cast<NodeId>(nodes() - 1); }
  [[nodiscard]] std::string name(NodeId node) const;

  // Compares the nodes, not their names.
  friend bool operator==(const Topology& a, const Topology& b) noexcept {
    return a.dealer_ == b.dealer_ && a.parties_ == b.parties_ && a.owners_ == b.owners_ && a.outside_ == b.outside_ &&
           a.further_ == b.further_ && a.helper_ == b.helper_;
  }

 private:
  Topology(std::size_t parties, bool dealer, bool outside_node, bool further_node, const NodeNames& names);

  const NodeNames* names_;
  std::size_t parties_;
  std::size_t owners_ = 0;
  bool dealer_;
  bool outside_;
  bool further_;
  bool helper_ = false;
};

}  // namespace sotto
