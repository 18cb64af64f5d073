// The flags of runs of all roles on one machine: one for each setting of the list, which goes where a config's would.
#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/kit/program/parse.h"
#include "sotto/apps/kit/settings/config_options.h"
#include "sotto/apps/o3m/settings.h"
#include "tests/apps/program_walk.h"

namespace sotto::apps {
namespace {

template <class S>
std::string run_text(const std::vector<std::string>& flags) {
  Command command("run", "");
  S settings;
  add_run_options(command, settings);
  command.callback([] {});
  const std::string refusal = error_of<std::exception>([&] { parse_and_run(command, {}, flags); });
  return refusal.empty() ? agreed_text(settings) : refusal;
}

TEST(RunOptions, AreOfEverySettingOfTheRun) {
  const auto program = make_program();
  for (const Program* one : {&bandit_program(), &o3m_program()}) {
    for (const Setting& setting : one->settings) {
      if (setting.table != "run" || setting.of_owner || setting.known_here) continue;
      EXPECT_NO_THROW((void)program->subcommand(one->word)->option(setting.run_flag())) << setting.path();
    }
  }
}

TEST(RunOptions, AreReadAsAConfigIs) {
  const std::string bandit =
      run_text<BanditSettings>({"--max-norm", "2", "--joint-norm-holds", "--steps", "7", "--deal-ahead", "--epsilon",
                                "0.25", "--batch", "64", "--reward-lag", "100"});
  for (const char* line : {"max_norm = 2.0\n", "joint_norm_holds = true\n", "steps = 7\n", "deal_ahead = true\n",
                           "epsilon = 0.25\n", "bits = 20\n", "batch = 64\n", "reward_lag = 100\n"}) {
    EXPECT_THAT(bandit, HasSubstr(line));
  }
  const std::string o3m = run_text<O3mSettings>({"--algorithm", "ts", "--mask-generator", "2", "--insecure-blocks"});
  for (const char* line : {"algorithm = \"ts\"\n", "mask_generator = 2\n", "insecure_blocks = true\n"}) {
    EXPECT_THAT(o3m, HasSubstr(line));
  }
}

TEST(RunOptions, RefuseWhatAConfigRefuses) {
  const std::pair<std::vector<std::string>, const char*> bandit[] = {
      {{"--steps", "0"}, "--steps: '0' is not a whole number from 1 to 2^63 - 1"},
      {{"--epsilon", "1.5"}, "--epsilon: '1.5' is not a number from 0 to 1"},
      {{"--bits", "25"}, "--bits: '25' is not a whole number from 12 to 24"},
      {{"--batch", "0"}, "--batch: '0' is not a whole number from 1 to 4096"},
      {{"--max-norm", "9"}, "--max-norm: max_norm in [run] must be a number above 0 and at most 8, not 9.0"}};
  for (const auto& [flags, says] : bandit) EXPECT_EQ(run_text<BanditSettings>(flags), says);
  const std::pair<std::vector<std::string>, const char*> o3m[] = {
      {{"--algorithm", "UCB"}, "--algorithm: 'UCB' is none of ucb, ts"},
      {{"--beta", "1.1e6"}, "--beta: '1.1e6' is not a number from 0 to 1e+06"},
      {{"--mask-generator", "me"},
       "--mask-generator: mask_generator in [run] must be \"third party\" or the number of a passive participant, not "
       "\"me\""}};
  for (const auto& [flags, says] : o3m) EXPECT_EQ(run_text<O3mSettings>(flags), says);
}

}  // namespace
}  // namespace sotto::apps
