// The cost of a primitive between parties that are threads of this process, linked by TCP on loopback.
//
// The dealer deals everything before the first repetition. Before a repetition, every party waits for a message from
// every other party. The first repetition is not counted, because it pays for fresh memory. The figure is the largest
// of the parties' medians.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/report/table.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/party/party.h"

namespace sotto::apps::lab {

struct PrimitiveCase {
  std::string name;
  std::size_t size = 1;  // lanes; arms for argmax; events for choose; n for the n x n matrices of matmul
  std::size_t parties = 2;
};

struct PrimitiveOptions {
  std::size_t repeats = 0;  // timed repetitions; 0: chosen by the size of the case
  std::uint64_t most_dealt_bytes = std::uint64_t{4} << 30;
  const std::atomic<bool>* interrupted = nullptr;
};

struct PrimitiveFigures {
  PrimitiveCase what;
  std::uint64_t rounds = 0;       // of one repetition
  std::uint64_t bytes_sent = 0;   // sent by a party in one repetition, headers included
  std::uint64_t dealt_bytes = 0;  // to the last party for one repetition, headers included
  std::size_t repeats = 0;        // 0: the case was skipped
  std::size_t batch = 1;          // repetitions between two time stamps
  double online_seconds = 0;      // for one repetition
  double dealer_seconds = 0;
  std::string skipped;

  // Planned and measured counts of the whole run, including the inputs and the check of the result.
  std::uint64_t planned_rounds = 0, measured_rounds = 0;
  std::uint64_t planned_bytes = 0, measured_bytes = 0;  // of party 0
  std::uint64_t planned_dealt = 0, measured_dealt = 0;
};

[[nodiscard]] const std::vector<std::string>& primitive_names();

[[nodiscard]] std::vector<std::size_t> usual_sizes(std::string_view name);

// A case that needs more dealt bytes than the options allow is repeated less often or skipped.
[[nodiscard]] PrimitiveFigures measure_primitive(const PrimitiveCase& what, const PrimitiveOptions& options);

[[nodiscard]] FigureTable primitives_table(const std::vector<PrimitiveFigures>& figures);

using RoleProgram = std::function<Task<Unit>(Party& party, std::size_t role)>;

struct RolesRun {
  std::vector<net::NodeStatistics> nodes;
  net::DealerStatistics dealer;
};

// Runs program(party, role) in a thread for each node and for the dealer, whose role is topology.nodes(). Throws the
// error of the role that failed first. Objects that the tasks refer to must outlive the run.
[[nodiscard]] RolesRun run_roles_dealt_ahead(const Topology& topology, const RoleProgram& program,
                                             std::uint64_t planned_dealt_bytes, const std::atomic<bool>* interrupted);

// Every role has its own object. Inputs are public patterns that party 0 shares.
class PrimitiveProgram {
 public:
  PrimitiveProgram() = default;
  PrimitiveProgram(const PrimitiveProgram&) = delete;
  PrimitiveProgram& operator=(const PrimitiveProgram&) = delete;
  virtual ~PrimitiveProgram() = default;

  [[nodiscard]] virtual Task<Unit> prepare(Party& party) = 0;
  // Copies the inputs that one repetition uses up, and forgets the last result.
  virtual void arrange() = 0;
  [[nodiscard]] virtual Task<Unit> run(Party& party) = 0;
  // Opens a few lanes of the last result. Returns the largest distance from the expected values, in units of the last
  // place; 0 at roles that learn nothing.
  [[nodiscard]] virtual Task<double> error(Party& party) = 0;
  [[nodiscard]] virtual double tolerance() const = 0;
};

struct PrimitiveKind {
  std::string name;
  const char* unit;  // "lane", "arm", "event" or "row"
  std::vector<std::size_t> usual_sizes;
  std::size_t most_size;
  std::unique_ptr<PrimitiveProgram> (*make)(std::size_t size);
};
[[nodiscard]] const std::vector<PrimitiveKind>& primitive_kinds();
[[nodiscard]] const PrimitiveKind* find_primitive(std::string_view name);

}  // namespace sotto::apps::lab
