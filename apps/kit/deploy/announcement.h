// The text that a compute party, an owner or a participant of O3M announces in the handshake: the shape of its data and
// the bound on its rows. A role announces nothing else about its data. A party without data announces zeros.
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

// The differential privacy of the counts that an evaluation opens. This privacy comes from the noise of a feature
// holder (apps/bandit/model/evaluate/private_evaluation.h).
struct CountPrivacy {
  double epsilon = .5;     // within least_count_epsilon and largest_count_epsilon (apps/kit/dp/samplers.h)
  std::uint64_t rows = 1;  // maximum number of rows per subject, up to most_rows_of_subject
  bool counted = false;    // whether an account counts the release (apps/kit/account)
  // The differential privacy of the rows that the model learns from; an epsilon of 0 means no noise
  // (apps/bandit/model/batch/noised_sums.h).
  double learning_epsilon = 0;
  double learning_delta = 0;
  std::uint64_t learned_rows = 0;   // maximum number of rows per subject that the model learns from
  bool uncovered_learning = false;  // true: the feature holder has allowed learning without noise

  friend bool operator==(const CountPrivacy&, const CountPrivacy&) = default;
};

struct Announcement {
  std::size_t rows = 0;  // number of rows; O3M: number of steps
  std::size_t columns = 0;
  double bound = 0;  // bound on the norm of every row, rounded as in apps/prepare/data/contexts.h
  // O3M: if the file numbers its steps, the number of the first step, 0 or 1.
  std::optional<std::uint64_t> first_step{};
  // Digest of the ids of the rows in their order, if the data file has an order file (apps/kit/files/row_order.h). The
  // session of the run is the key of the digest.
  std::optional<std::string> order{};
  // True if rows are requested by the number of their step, so that the rows of two roles cannot be in different
  // orders.
  bool by_step = false;
  // The privacy of the counts; set only if the run evaluates a log.
  std::optional<CountPrivacy> counts{};
  // The position of the account that counts the release of this run, with this release included.
  std::optional<AccountPosition> account{};
  // The model that the run starts from, described by the program in letters, digits, blanks and ".-+".
  std::optional<std::string> model{};
};

[[nodiscard]] std::string to_text(const Announcement& announcement);

// Reads the text of to_text(). If to_text() cannot have made the text from valid values, throws a ProtocolError that
// names `party`.
[[nodiscard]] Announcement parse_announcement(const std::string& text, const std::string& party);

// The announcements of all roles that bring data, in the order of nodes.
struct AnnouncedData {
  std::size_t rows = 0;  // number of rows of each role
  std::vector<std::size_t> columns;
  std::vector<double> bounds;
  std::optional<std::string> order;        // the order, which is the same for all roles that have one
  std::vector<std::size_t> without_order;  // nodes without an order
  std::vector<CountPrivacy> counts;        // empty if no log is evaluated
  std::optional<std::string> model;        // the model, which is the same for all parties
  std::vector<SeenAccount> accounts;       // the accounts of all roles that have one
};

// Collects the announcements that the mesh has received. The last `computing_only` parties bring no data. Throws the
// errors of parse_announcement(), check_rows() and check_orders(). Also throws DisagreementError in the following
// cases:
// - A role brings data although it must not, or brings no data although it must.
// - The parties start from different models, or only some parties start from a model.
// - Only some roles add noise to counts.
// - Two roles have the same account.
[[nodiscard]] AnnouncedData announced_data(const net::Mesh& mesh, std::size_t computing_only = 0);
// The same for announcements that a function returns by node.
[[nodiscard]] AnnouncedData announced_data(const Topology& topology,
                                           const std::function<std::string(NodeId)>& announcement_of,
                                           std::size_t computing_only = 0);

// Checks announcements, which are indexed by node, and skips nodes without data. Throws DisagreementError unless all
// roles have the same number of rows, counted in the same way.
void check_rows(const std::vector<Announcement>& announcements, const Topology& topology);

// Checks announcements, which are indexed by node. Throws DisagreementError unless all roles that have an order have
// the same order.
void check_orders(const std::vector<Announcement>& announcements, const Topology& topology);

// The text of no_order_warning() for the given nodes (apps/kit/files/row_order.h). The text is empty if all nodes have
// an order.
[[nodiscard]] std::string order_warning(const std::vector<std::size_t>& without_order, const Topology& topology);

}  // namespace sotto::apps
