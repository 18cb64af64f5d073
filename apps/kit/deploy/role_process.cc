#include "apps/kit/deploy/role_process.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>

#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/report/human.h"
#include "apps/kit/settings/role_settings.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::apps {

void add_role_options(Command& command, ConfigArguments& arguments, RoleExtras& extras,
                      const std::vector<Setting>& settings) {
  std::vector<Setting> of_runs;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(of_runs),
               [](const Setting& setting) { return setting.table != align_table; });
  add_config_options(command, arguments, of_runs);
  command.renames_flags(names_in_config(of_runs));
  command.add_option("--listen-descriptor", extras.listen_descriptor, "A bound socket that this process inherited")
      ->number(whole(0, largest_descriptor))
      ->group("");
  command.add_option("--progress-descriptor", extras.progress_descriptor, "An inherited pipe for progress lines")
      ->number(whole(0, largest_descriptor))
      ->group("");
  command.add_flag("--record", extras.record, "Keep every arm, or every score")->group("");
}

RoleProgress::RoleProgress(const RoleExtras& extras, std::uint64_t total_steps)
    : total_steps_(total_steps),
      writer_(extras.progress_descriptor),
      line_(progress_on_terminal(extras.progress_descriptor.has_value())) {}

void RoleProgress::write(std::uint64_t step, double average, std::uint64_t rounds) {
  writer_.write(step, average, rounds);
  if (line_.due()) line_.update({step, total_steps_, average, rounds});
}

net::DriverOptions driver_options(const RoleSettings& config, const std::atomic<bool>& interrupted) {
  net::DriverOptions options;
  options.round_deadline = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * config.round_deadline_seconds));
  options.interrupted = &interrupted;
  return options;
}

void warn_of_insecure(const RoleHeader& report) {
  SummaryLines lines(false);
  lines.insecure(report.insecure);
  std::fputs(lines.text().c_str(), stdout);
}

namespace {

void give_keys(const std::vector<RoleSettings*>& roles, const std::filesystem::path& folder) {
  if (roles.front()->insecure_plaintext || !roles.front()->key.empty()) return;
  const std::map<std::string, std::string> trust = make_local_keys(*roles.front(), folder);
  for (RoleSettings* config : roles) {
    config->trust = trust;
    config->key = key_file(folder, config->role_key());
  }
}

std::map<std::string, Descriptor> bind_all(const std::vector<RoleSettings*>& roles) {
  std::map<std::string, Descriptor> listeners;
  std::map<std::string, std::string> peers;
  for (const std::string& key : listening_roles(*roles.front())) {
    net::TcpListener listener(net::Address{"127.0.0.1", 0});
    peers[key] = listener.address().text();
    listeners.emplace(key, Descriptor(listener.release()));
  }
  for (RoleSettings* config : roles) config->peers = peers;
  return listeners;
}

}  // namespace

void LocalGroup::start(const std::string& name, std::vector<std::string> arguments, Descriptor listener,
                       bool tells_progress) {
  std::vector<int> descriptors;
  const auto inherit = [&](const char* flag, int descriptor) {
    descriptors.push_back(descriptor);
    arguments.insert(arguments.end(), {flag, std::to_string(descriptor)});
  };
  if (listener.get() >= 0) inherit("--listen-descriptor", listener.get());
  if (tells_progress) inherit("--progress-descriptor", pipe_.writing_end());
  group_.start(name, arguments, descriptors);
}

void LocalGroup::wait(std::uint64_t steps, const std::function<void(const ProgressState&)>& progress) {
  pipe_.close_writing_end();
  const auto look = [&] {
    const auto state = pipe_.take(steps);
    if (state && progress) progress(*state);
  };
  group_.wait(look, [this] { return pipe_.wake(); });
}

void run_local_processes(const LocalProcesses& processes, const std::function<void(const ProgressState&)>& progress,
                         const std::atomic<bool>& interrupted, const std::function<void()>& collect) {
  LocalGroup group(processes.program, interrupted);
  give_keys(processes.roles, group.folder());
  std::map<std::string, Descriptor> listeners = bind_all(processes.roles);
  for (RoleSettings* config : processes.roles) config->report = group.folder() / (config->role_key() + ".json");
  if (processes.in_folder) processes.in_folder(group.folder());
  for (const RoleSettings* config : processes.roles) {
    const std::string key = config->role_key();
    const std::filesystem::path file = group.folder() / (key + ".toml");
    write_file(file, to_toml(*config));
    // The launcher's environment variables may be meant for another run.
    std::vector<std::string> arguments = config->command();
    arguments.insert(arguments.end(), {"--config", file.string(), "--ignore-variables"});
    arguments.insert(arguments.end(), processes.flags.begin(), processes.flags.end());
    const bool tells = processes.tells_progress(*config);
    if (processes.record && tells) arguments.emplace_back("--record");
    group.start(config->name(), std::move(arguments), std::move(listeners[key]), tells);
  }
  group.wait(processes.steps, progress);
  collect();
}

}  // namespace sotto::apps
