// Whether the flags that a message names are there: those in `backticks` at the command there, all others at the
// command that said it, but what another role reported to it.
#include <algorithm>
#include <mutex>

#include "tests/process/sotto_process.h"
#include "tests/regex.h"

namespace sotto::testing {
namespace {

// The words before the first flag.
Words command_of(const Words& words) {
  return {words.begin(),
          std::find_if(words.begin(), words.end(), [](const auto& word) { return word.starts_with('-'); })};
}

std::string help_of(Words command) {
  static std::mutex mutex;
  static std::map<Words, std::string> known;
  const std::lock_guard guard(mutex);
  const auto [found, is_new] = known.try_emplace(command);
  if (is_new) {
    const TestFolder folder;
    command.emplace_back("--help");
    SottoProcess process(folder, command);
    if (process.wait() == 0) found->second = process.out();
  }
  return found->second;
}

void expect_flags(const std::string& text, const Words& command, const std::string& said) {
  const std::string help = help_of(command);
  if (help.empty()) return;  // a prefix, or a program of somebody else's
  for (const auto& flag : matches_in(text, "(^|[^-'a-z])(--[a-z][a-z0-9-]*)")) {
    const std::string& name = flag[2];
    EXPECT_TRUE(has_match(help, name + "([^a-z0-9-]|$)"))
        << name << " is no flag of `sotto " << ::testing::PrintToString(command) << "`, which said: " << said;
  }
}

}  // namespace

void expect_advice_to_be_there(const Words& words, const std::string& said) {
  const bool is_whole_program = fs::path(sotto_program).filename() == "sotto";
  std::string rest;
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t begin = said.find('`', at);
    rest += said.substr(at, begin - at);
    const std::size_t end = begin == std::string::npos ? begin : said.find('`', begin + 1);
    if (end == std::string::npos) break;
    const std::string quoted = said.substr(begin + 1, end - begin - 1);
    if (is_whole_program && quoted.starts_with("sotto ")) {
      const Words typed = words_of(quoted.substr(6));
      expect_flags(quoted, command_of(typed), said);
    }
    at = end + 1;
  }
  // What another role reports is about that role's command.
  expect_flags(rest.substr(0, rest.find(" reports: ")), command_of(words), said);
}

}  // namespace sotto::testing
