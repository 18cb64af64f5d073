#include "apps/kit/deploy/role_process.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "apps/kit/program/command.h"
#include "apps/kit/program/number_options.h"
#include "apps/kit/report/human.h"
#include "apps/kit/settings/align_table.h"

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

void RoleProgress::tell(std::uint64_t step, double average, std::uint64_t rounds) {
  writer_.tell(step, average, rounds);
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

}  // namespace sotto::apps
