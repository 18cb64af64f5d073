// What a compute party or an owner announces in the handshake, or a participant of O3M: the shape of its data and the
// bound on its rows. Nothing else of its data is said. A party that brings none announces zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/account/seen_accounts.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps {

// What the noise of a holder of features promises of the counts that an evaluation opens
// (apps/bandit/model/evaluate/private_evaluation.h).
struct CountPrivacy {
  double epsilon = .5;     // within least_count_epsilon and largest_count_epsilon (apps/kit/dp/samplers.h)
  std::uint64_t rows = 1;  // the most of a subject, up to most_rows_of_subject
  bool counted = false;    // in an account (apps/kit/account)
  // Of the rows that the model learns from. Epsilon 0: no noise (apps/bandit/model/batch/noised_sums.h).
  double learning_epsilon = 0;
  double learning_delta = 0;
  std::uint64_t learned_rows = 0;   // the most of a subject
  bool uncovered_learning = false;  // no noise, and the holder says that it may be so

  friend bool operator==(const CountPrivacy&, const CountPrivacy&) = default;
};

struct Announcement {
  std::size_t rows = 0;  // of O3M: steps
  std::size_t columns = 0;
  double bound = 0;  // on the norm of every row, as apps/prepare/data/contexts.h rounds it
  // Of O3M, where the file counts its steps: 0 or 1.
  std::optional<std::uint64_t> first_step{};
  // Which case each row is about, where the file has an order (apps/kit/files/row_order.h): keyed by the run's session.
  std::optional<std::string> order{};
  // Rows are asked for by the number of their step, so that they cannot be in another order.
  bool by_step = false;
  // Where a log is evaluated.
  std::optional<CountPrivacy> counts{};
  // Of the account in which that is counted, the release of this run among it.
  std::optional<AccountPosition> account{};
  // The model that the run begins from, in words of the program's own: letters, digits, blanks and ".-+".
  std::optional<std::string> model{};
};

[[nodiscard]] std::string to_text(const Announcement& announcement);

// Throws ProtocolError, naming `party`, if the text is none that to_text() makes of sound values.
[[nodiscard]] Announcement parse_announcement(const std::string& text, const std::string& party);

// What all that bring data have announced, in the order of nodes.
struct AnnouncedData {
  std::size_t rows = 0;  // of each
  std::vector<std::size_t> columns;
  std::vector<double> bounds;
  std::optional<std::string> order;        // of all that have one
  std::vector<std::size_t> without_order;  // nodes
  std::vector<CountPrivacy> counts;        // empty where no log is evaluated
  std::optional<std::string> model;        // of all parties
  std::vector<MetAccount> accounts;        // of all that have one
};

// As the mesh has heard it. `computing_only` of the parties, the last, bring no data. Throws what parse_announcement(),
// check_rows() and check_orders() throw, and DisagreementError where somebody brings data that should not, or none that
// should, unless all parties begin from the same model, or none from any, unless all or none add noise to counts, and
// where two have one account.
[[nodiscard]] AnnouncedData announced_data(const net::Mesh& mesh, std::size_t computing_only = 0);

// By node; those without data do not count. Throws DisagreementError unless all have the same number of rows, counted
// alike.
void check_rows(const std::vector<Announcement>& announcements, const Topology& topology);

// By node. Throws DisagreementError unless all that have an order have the same.
void check_orders(const std::vector<Announcement>& announcements, const Topology& topology);

// no_order_warning() of those nodes (apps/kit/files/row_order.h); empty where all have an order.
[[nodiscard]] std::string order_warning(const std::vector<std::size_t>& without_order, const Topology& topology);

}  // namespace sotto::apps
