// run: runs one role of a program over the network.
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
// Every role runs the same executable, with its own config. `sotto init --protocol program` writes the configs, `sotto
// keys` makes keys, and `sotto doctor` checks names, ports, clocks and certificates. Links are TLS 1.3; each role
// trusts the certificates in its config and no others.
//
// The dealer sends randomness and sees no message of the parties. The key `preprocessing` in the config's table [run]
// can replace the dealer: by the three parties ("replicated"), by the two parties ("ot"), or by two parties and a
// helper ("helper"). The helper runs the program as a dealer does, without an input, and knows none of the randomness.
//
// The handshake compares the configs and plans of the roles. If the programs of two roles differ, no role starts, and
// the error names the first operation that differs. A fault ends the run at all roles, and all roles report the same
// cause.
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
  // Environment variables SOTTO_<TABLE>_<KEY> override keys of the file. Throws an InputError that names file, line and
  // remedy.
  [[nodiscard]] static Config read(const std::filesystem::path& file);
  // Accepts `--config FILE`, any number of `--set table.key=value`, and `--help`, which ends the process. Throws
  // InputError.
  [[nodiscard]] static Config from_arguments(int argc, const char* const* argv);
  explicit Config(apps::OwnSettings settings);

  [[nodiscard]] std::size_t parties() const;
  // The number of this party; nothing at the dealer and the receiver.
  [[nodiscard]] std::optional<std::size_t> party() const;
  // The role, such as "party 0" or "dealer".
  [[nodiscard]] std::string role() const;
  // The path of the data file; empty if the config names none.
  [[nodiscard]] std::filesystem::path data() const;
  // The fraction bits, receiver and preprocessing of the config, the same at all roles.
  [[nodiscard]] SessionOptions session() const;
  [[nodiscard]] const apps::OwnSettings& settings() const { return *settings_; }

 private:
  std::shared_ptr<const apps::OwnSettings> settings_;
};

// The numbers of a CSV file, without a header line; an empty path gives a 0 x 0 matrix. Throws an InputError that names
// file, line and column, and never shows a number of the file.
[[nodiscard]] Matrix read_csv(const std::filesystem::path& file);

struct RunOptions {
  double bound = 16;                               // the bound of inputs that state none; the same at all roles
  const std::atomic<bool>* interrupted = nullptr;  // once set, the run ends at all roles with Interrupted
  // Called with lines such as "party 1 is here (1 of 2)", by one thread at a time; if empty, the lines go to stderr.
  std::function<void(const std::string&)> report{};
  std::optional<int> listen_descriptor{};  // a bound socket, used in place of the config's address
};

template <class T>
struct NetworkRun : RunCost {
  std::optional<T> result;           // nothing at the dealer
  double seconds_preprocessing = 0;  // time to make the randomness; 0 with a dealer
  double seconds_online = 0;         // the rest of the time from the first round to the end
};

namespace detail {

// Sets up the links; all other roles must have the same `planned`.
[[nodiscard]] net::Mesh connect(const Config& config, const RunCost& planned, const RunOptions& options);
[[nodiscard]] net::DriverOptions driver_options(const Config& config, const RunCost& planned,
                                                const RunOptions& options);
[[nodiscard]] std::string expansion_label(const net::Mesh& mesh);
[[nodiscard]] std::optional<std::uint64_t> insecure_seed(const Config& config);
void finish(const Config& config, const RunCost& planned, double setup_seconds, const net::NodeStatistics& node,
            const net::DealerStatistics& dealer);

}  // namespace detail

// Throws InputError, NetworkError, TrustError, DisagreementError, ProtocolError, ResourceError or Interrupted; all
// exceptions of the program; and RemoteFailure if another role has failed. BoundError and std::invalid_argument (such
// as an argmax of more than 64 columns without a dealer) are thrown before any link is connected.
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
