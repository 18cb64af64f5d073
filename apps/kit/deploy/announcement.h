// The text that a role announces in the handshake: the shape of the role's data and a bound on its rows. The text
// states nothing else about the data, and a party without data announces zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/account/seen_accounts.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps {

// The parameters of differential privacy for the counts that an evaluation opens. A feature holder adds the noise.
struct CountPrivacy {
  double epsilon = .5;
  std::uint64_t rows = 1;  // maximum per subject
  bool counted = false;
  // Zero if learning adds no noise.
  double learning_epsilon = 0;
  double learning_delta = 0;
  std::uint64_t learned_rows = 0;  // maximum per subject
  bool uncovered_learning = false;

  friend bool operator==(const CountPrivacy&, const CountPrivacy&) = default;
};

struct Announcement {
  std::size_t rows = 0;  // number of rows; for O3M, number of steps
  std::size_t columns = 0;
  double bound = 0;  // bound on the norm of every row
  std::optional<std::uint64_t> first_step{};
  std::optional<std::string> order{};
  // If true, each row of this role states the number of its step, so the role need not announce an order.
  bool by_step = false;
  std::optional<CountPrivacy> counts{};
  std::optional<AccountPosition> account{};
  // The text consists of letters, digits, blanks and ".-+".
  std::optional<std::string> model{};
  // At a compute party of an evaluation: the id of its shares of best arms, keyed by the session
  // (apps/kit/files/best_bits.h).
  std::optional<std::string> best{};
};

[[nodiscard]] std::string to_text(const Announcement& announcement);

[[nodiscard]] Announcement parse_announcement(const std::string& text, const std::string& party);

struct AnnouncedData {
  std::size_t rows = 0;  // of each role
  std::vector<std::size_t> columns;
  std::vector<double> bounds;
  std::optional<std::string> order;
  std::vector<std::size_t> without_order;
  std::vector<CountPrivacy> counts;
  std::optional<std::string> model;
  std::vector<SeenAccount> accounts;
  std::optional<std::string> best;  // of each compute party; empty if no party has shares of best arms
};

// The last `computing_only` parties bring no data. Throws the errors of parse_announcement(), check_rows() and
// check_orders(). Also throws DisagreementError in the following cases:
// - One of these parties brings data, or another party or a feature holder brings no data.
// - The parties start from different models, or only some parties start from a model.
// - The parties have shares of different bits of best arms, or only some parties have shares.
// - Only some roles add noise to counts.
// - Two roles have the same account.
[[nodiscard]] AnnouncedData announced_data(const net::Mesh& mesh, std::size_t computing_only = 0);
// The same for announcements that a function returns by node.
[[nodiscard]] AnnouncedData announced_data(const Topology& topology,
                                           const std::function<std::string(NodeId)>& announcement_of,
                                           std::size_t computing_only = 0);

// Throws DisagreementError unless all roles with data have the same number of rows, counted in the same way.
void check_rows(const std::vector<Announcement>& announcements, const Topology& topology);

// Throws DisagreementError unless all roles that announce an order of their rows announce the same order.
void check_orders(const std::vector<Announcement>& announcements, const Topology& topology);

[[nodiscard]] std::string order_warning(const std::vector<std::size_t>& without_order, const Topology& topology);

}  // namespace sotto::apps
