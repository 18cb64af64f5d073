// run: runs one role of a program over the network, as the config of the role says.
//
//     int main(int argc, char** argv) try {
//       const Config config = Config::from_arguments(argc, argv);          --config config.toml
//       auto out = run(config, fit, read_csv(config.data()));              party or dealer
//       if (out.result) std::cout << *out.result << "\n" << out.in_short() << "\n";
//     } catch (const Error& error) {
//       std::cerr << error.what() << "\n";
//       return static_cast<int>(error.exit_code());                        docs/reference/faults.md
//     }
//
// Every role runs the same executable, with its own config. `sotto init --protocol program` writes the configs of all
// roles. `sotto keys` makes keys, and enters the keys of other roles in a config. `sotto doctor` checks names, ports,
// clocks and certificates. Links are TLS 1.3; each role trusts the certificates in its config and no others.
//
// The dealer gives randomness and sees no message. With preprocessing = "replicated" or "ot" in [run] there is no
// dealer: three parties ("replicated") or two parties ("ot") make the randomness before the program begins. With
// "helper", two parties make the randomness together with a helper, which takes the place of the dealer. The helper
// knows none of the randomness, and runs the program as a dealer does, without an input. The only further role is the
// receiver, if the program reveals something to a receiver.
//
// The handshake compares the configs and the plans of the roles: inputs, operations, shapes, bounds, public numbers,
// openings and their names, phases, rounds and bytes. Roles whose programs differ do not start, and name the first
// operation that differs (docs/guides/library.md). A fault ends the run at all roles, and all roles report the same
// cause (docs/reference/faults.md). If `report` in [role] of a config names a file, the role writes a report to this
// file.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/session.h"
#include "sotto/simulate.h"

namespace sotto {

namespace apps {
struct OwnSettings;
}

// The contents of one role's config.toml.
class Config {
 public:
  // Reads the file. Environment variables SOTTO_<TABLE>_<KEY> override keys of the file. Throws an InputError that
  // names file, line and remedy.
  [[nodiscard]] static Config read(const std::filesystem::path& file);
  // Takes `--config FILE`, and any number of `--set table.key=value` that override keys of the file. `--help` prints
  // these flags and ends the process with 0. Throws InputError.
  [[nodiscard]] static Config from_arguments(int argc, const char* const* argv);
  explicit Config(apps::OwnSettings settings);

  [[nodiscard]] std::size_t parties() const;
  // The number of this party; nothing at the dealer and the receiver.
  [[nodiscard]] std::optional<std::size_t> party() const;
  // The name of this role, such as "party 0" or "dealer".
  [[nodiscard]] std::string role() const;
  // The party's data file; empty if the config names no data file.
  [[nodiscard]] std::filesystem::path data() const;
  // The options in the config: fraction bits, receiver and preprocessing. The session options must be the same at all
  // roles.
  [[nodiscard]] SessionOptions session() const;
  [[nodiscard]] const apps::OwnSettings& settings() const { return *settings_; }

 private:
  std::shared_ptr<const apps::OwnSettings> settings_;
};

// The numbers of a CSV file, row by row: the input of a party. A header line is skipped. An empty path, as at a dealer,
// gives an empty matrix of 0 x 0. Throws an InputError that names file, line and column; the message never shows a
// number of the file.
[[nodiscard]] Matrix read_csv(const std::filesystem::path& file);

struct RunOptions {
  double bound = 16;                               // bound of inputs that state no bound; the same at all roles
  const std::atomic<bool>* interrupted = nullptr;  // once set, the run ends at all roles with Interrupted
  // Called with lines such as "party 1 is here (1 of 2)", from any thread, but by one thread at a time. If `tell` is
  // empty, the lines go to stderr.
  std::function<void(const std::string&)> tell{};
  std::optional<int> listen_descriptor{};  // a bound socket, used instead of the config's address
};

template <class T>
struct NetworkRun : RunCost {
  std::optional<T> result;           // nothing at the dealer
  double seconds_preprocessing = 0;  // time in which the parties made the randomness; 0 with a dealer
  double seconds_online = 0;         // the rest of the time from the first round to the end
};

namespace detail {

// Sets up the links of the role. All other roles receive `planned`, and must have the same plan.
[[nodiscard]] net::Mesh connect(const Config& config, const RunCost& planned, const RunOptions& options);
[[nodiscard]] net::DriverOptions driver_options(const Config& config, const RunCost& planned,
                                                const RunOptions& options);
// The label under which the parties expand their own randomness. The label follows from the session of the links.
[[nodiscard]] std::string expansion_label(const net::Mesh& mesh);
// The config's seed of repeatable randomness, for tests.
[[nodiscard]] std::optional<std::uint64_t> insecure_seed(const Config& config);
// Writes the report, if the config names a file for the report.
void finish(const Config& config, const RunCost& planned, double setup_seconds, const net::NodeStatistics& node,
            const net::DealerStatistics& dealer);

}  // namespace detail

// Throws InputError, NetworkError, TrustError, DisagreementError, ProtocolError, ResourceError or Interrupted; all
// exceptions of the program; and RemoteFailure if another role has failed. run() notifies all peers before it throws.
//
// Every exception of run() itself is an Error, except BoundError and std::invalid_argument, which are thrown before any
// link is connected. For an operation that needs a dealer (an argmax of more than 64 columns), run() throws
// std::invalid_argument.
template <class Program, class Mine = Matrix>
auto run(const Config& config, Program program, Mine mine = {}, const RunOptions& options = {}) {
  using T = detail::ResultOf<Program, Mine>;
  SessionOptions session = config.session();
  session.bound = options.bound;
  const RunCost planned = plan<Mine>(config.parties(), program, session);
  const auto begin = std::chrono::steady_clock::now();
  net::Mesh mesh = detail::connect(config, planned, options);
  const std::chrono::duration<double> setup = std::chrono::steady_clock::now() - begin;
  const std::string label = detail::expansion_label(mesh);
  const auto at_this_role = [&](Party& party) {
    return detail::at_role<Program, Mine>(party, program, std::move(mine), session, label,
                                          detail::insecure_seed(config));
  };
  auto done = net::run_program(mesh, at_this_role, detail::driver_options(config, planned, options),
                               detail::insecure_seed(config));
  detail::finish(config, planned, setup.count(), done.node, done.dealer);
  const double ahead = done.node.seconds_preprocessing;
  NetworkRun<T> result{planned, {}, ahead, done.result ? done.node.seconds - ahead : done.dealer.seconds};
  if (done.result) result.result.emplace(std::move(done.result->result));
  return result;
}

}  // namespace sotto
