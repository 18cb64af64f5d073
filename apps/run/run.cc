#include "sotto/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/deploy/role_process.h"
#include "apps/kit/files/table.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/described.h"
#include "apps/kit/report/run_header.h"
#include "apps/run/settings.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/preprocessing/program_role.h"

namespace sotto {
namespace {

const std::atomic<bool> never{false};

struct OwnReport : apps::RoundsHeader {
  struct Opening {
    std::string name;
    std::string shape;
    std::optional<std::uint64_t> to;
    std::uint64_t bits = 0;

    static void describe(auto& self, auto&& field) {
      field("name", self.name);
      field("shape", self.shape);
      field.unless_empty("to", self.to);
      field("bits", self.bits);
    }
  };
  std::string preprocessing;
  std::uint64_t dealt_bytes = 0;
  // Without a dealer, the roles exchange messages to make the randomness before the program starts. The next three
  // members are the costs of these messages.
  std::uint64_t preprocessing_rounds = 0;
  std::uint64_t preprocessing_bytes = 0;
  double preprocessing_seconds = 0;
  double online_seconds = 0;
  std::vector<Opening> opened;

  static void describe(auto& self, auto&& field) {
    RoundsHeader::describe(self, field);
    field("preprocessing", self.preprocessing);
    field("dealt_bytes", self.dealt_bytes);
    field("preprocessing_rounds", self.preprocessing_rounds);
    field("preprocessing_bytes", self.preprocessing_bytes);
    field("preprocessing_seconds", self.preprocessing_seconds);
    field("online_seconds", self.online_seconds);
    field("opened", self.opened);
  }
};

// The handshake compares these lines in addition to the config, and reports the first line that differs.
std::string program_lines(const RunCost& planned, double bound) {
  std::string lines = fmt::format("program bound of inputs = {}\n", bound);
  std::size_t number = 0;
  for (const std::string& operation : planned.operations)
    lines += fmt::format("program operation {} = {}\n", ++number, operation);
  return lines + fmt::format("program cost = {}\nprogram digest = {}\n", planned.in_short(), planned.digest);
}

constexpr const char* usage =
    "Plays one role of a program of several parties. Each role runs the same program with a config of its own, which\n"
    "`sotto init --protocol program` writes.\n\n"
    "  --config FILE           The role's config, TOML\n"
    "  --set TABLE.KEY=VALUE   Any key of the config, such as run.bits=16; as often as needed\n"
    "  --help                  Print this\n";

Config read_with(const std::filesystem::path& file, const std::vector<std::string>& assignments) {
  const apps::Keys keys({&apps::own_program()});
  apps::ConfigOverlay overlay;
  overlay.variables = apps::settings_of_variables(keys, apps::process_variables());
  for (const std::string& assignment : assignments) {
    overlay.flags.push_back(apps::setting_of_assignment(keys, assignment));
  }
  const apps::EffectiveConfig effective = apps::read_effective_config(keys, file, overlay);
  return Config(static_cast<const apps::OwnSettings&>(*effective.config));
}

}  // namespace

Config::Config(apps::OwnSettings settings) : settings_(std::make_shared<apps::OwnSettings>(std::move(settings))) {}

Config Config::read(const std::filesystem::path& file) { return read_with(file, {}); }

Config Config::from_arguments(int argc, const char* const* argv) {
  std::filesystem::path file;
  std::vector<std::string> assignments;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--help" || flag == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (i + 1 == argc || (flag != "--config" && flag != "--set")) {
      throw InputError(std::string(flag),
                       "is no flag of this program, or lacks its argument: it takes --config FILE "
                       "and --set table.key=value");
    }
    if (flag == "--config") {
      file = argv[i + 1];
    } else {
      assignments.emplace_back(argv[i + 1]);
    }
  }
  if (!file.empty()) return read_with(file, assignments);
  throw InputError("--config", "is required: the config of the role that this process is, --config config.toml");
}

std::size_t Config::parties() const { return settings_->parties; }

std::optional<std::size_t> Config::party() const {
  if (settings_->role() != apps::OwnRole::party) return std::nullopt;
  return settings_->id;
}

std::string Config::role() const { return settings_->name(); }

std::filesystem::path Config::data() const { return settings_->data; }

Matrix read_csv(const std::filesystem::path& file) {
  if (file.empty()) return {};
  const apps::Table table = apps::read_csv(file, apps::Header::optional);
  Matrix numbers(static_cast<Eigen::Index>(table.rows), static_cast<Eigen::Index>(table.columns.size()));
  std::copy(table.values.begin(), table.values.end(), numbers.data());
  return numbers;
}

SessionOptions Config::session() const {
  SessionOptions options;
  options.bits = settings_->bits;
  options.has_receiver = settings_->receiver;
  options.preprocessing = settings_->preprocessing;
  return options;
}

namespace detail {

net::Mesh connect(const Config& config, const RunCost& planned, const RunOptions& options) {
  net::MeshConfig mesh = apps::mesh_config(config.settings());
  mesh.parameters += program_lines(planned, options.bound);
  const std::vector<std::string> insecure = apps::insecure_options(config.settings());
  if (!insecure.empty()) {
    const std::string warning = fmt::format("warning: this run is insecure: {}", fmt::join(insecure, ", "));
    if (options.report) {
      options.report(warning);
    } else {
      apps::say("sotto: " + warning);
    }
  }
  const std::atomic<bool>& interrupted = options.interrupted == nullptr ? never : *options.interrupted;
  return apps::connect_mesh(config.settings(), std::move(mesh), options.listen_descriptor, interrupted, options.report);
}

net::DriverOptions driver_options(const Config& config, const RunCost& planned, const RunOptions& options) {
  const std::atomic<bool>& interrupted = options.interrupted == nullptr ? never : *options.interrupted;
  net::DriverOptions driver = apps::driver_options(config.settings(), interrupted);
  driver.largest_chunk = planned.ledger.largest_chunk();
  return driver;
}

std::string expansion_label(const net::Mesh& mesh) {
  return protocols::expansion_label(net::text_of(mesh.session()), 0);
}

std::optional<std::uint64_t> insecure_seed(const Config& config) { return config.settings().insecure_seed; }

void finish(const Config& config, const RunCost& planned, double setup_seconds, const net::NodeStatistics& node,
            const net::DealerStatistics& dealer) {
  const apps::OwnSettings& settings = config.settings();
  const NodeId self = apps::role_id(settings);
  const bool is_node = self != net::dealer_id;
  const std::uint64_t planned_bytes = is_node ? planned.ledger.total().sent[self] : planned.dealt;
  OwnReport report;
  report.role = settings.name();
  report.insecure = apps::insecure_options(settings);
  report.rounds = is_node ? node.rounds : dealer.rounds;
  report.bytes_sent = is_node ? node.total_bytes_sent() : dealer.dealt_bytes;
  report.planned_bytes_sent = planned_bytes;
  report.setup_seconds = setup_seconds;
  report.dealt_bytes = is_node ? node.dealt_bytes : dealer.dealt_bytes;
  report.preprocessing = name_of(settings.preprocessing);
  if (is_node) {
    const Cost ahead = planned.ledger.of(phase_ahead);
    report.preprocessing_rounds = ahead.rounds;
    report.preprocessing_bytes = ahead.sent[self];
    report.preprocessing_seconds = node.seconds_preprocessing;
  }
  report.online_seconds = is_node ? node.seconds - node.seconds_preprocessing : dealer.seconds;
  report.cpu_seconds = apps::process_cpu_seconds();
  report.peak_memory_bytes = apps::peak_memory_bytes();
  for (const Opened& opened : planned.opened) {
    report.opened.push_back({opened.name, to_string(opened.shape), opened.to, opened.bits});
  }
  if (report.rounds != planned.rounds || report.bytes_sent != planned_bytes) {
    throw std::logic_error("the run took other rounds or bytes than its plan says");
  }
  if (!settings.report.empty()) apps::write_described(settings.report, report);
}

}  // namespace detail

}  // namespace sotto
