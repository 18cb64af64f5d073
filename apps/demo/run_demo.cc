#include "apps/demo/run_demo.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "apps/bandit/model/privacy.h"
#include "apps/bandit/model/step/single_step.h"
#include "apps/demo/digits.h"
#include "apps/demo/result.h"
#include "apps/demo/roles.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/report/human.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::demo {
namespace {

BanditParameters parameters_of(std::uint64_t steps) {
  BanditParameters parameters;
  parameters.columns.assign(Digits::parties, Digits::columns_of_a_party);
  parameters.arms = Digits::arms;
  parameters.steps = steps;
  parameters.exploration = exploration_of(.1);
  return parameters;
}

}  // namespace

void run_demo(const std::filesystem::path& out, std::uint64_t steps) {
  const std::string started = utc_now();
  const BanditPlan plan = plan_single_steps(parameters_of(steps));
  if (holds_results(out / "run")) {
    throw InputError(out.string(), "holds the results of an earlier demo: choose another folder");
  }
  make_run_directory(out / "data");
  make_run_directory(out / "run");
  const Digits digits = read_digits();
  write_digits(digits, out / "data");
  DemoResult result = result_of(play(digits, plan), plan, digits);
  result.stamp(started);
  write_report(result, out / "run");
  std::fputs(summary_of(result, use_colour(STDOUT_FILENO)).c_str(), stdout);
  std::fputs(files_of_run(out / "run").c_str(), stdout);
}

}  // namespace sotto::apps::bandit::demo
