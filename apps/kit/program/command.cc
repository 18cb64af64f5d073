#include "apps/kit/program/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/kit/program/say.h"

namespace sotto::apps {

Option* Option::group(std::string name) {
  is_hidden = name.empty();
  return set(heading, std::move(name));
}

void Option::give(std::vector<std::string> these) {
  for (std::string& text : these) {
    if (range) {
      std::optional<std::string> canonical = range->read(text);
      if (!canonical) throw UsageError(fmt::format("{}: '{}' is not {}", flag, text, range->expected));
      text = std::move(*canonical);
    }
    if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) {
      throw UsageError(fmt::format("{}: '{}' is none of {}", flag, text, fmt::join(words, ", ")));
    }
  }
  take(these);
  given = std::max<std::size_t>(these.size(), 1);
  texts = std::move(these);
}

namespace detail {

std::uint64_t whole_of(const std::string& text) {
  const auto value = number_of<std::uint64_t>(text);
  if (!value) throw UsageError(fmt::format("'{}' is no whole number", text));
  return *value;
}

double real_of(const std::string& text) {
  const auto value = number_of<double>(text);
  if (!value) throw UsageError(fmt::format("'{}' is no number", text));
  return *value;
}

std::string text_of(std::uint64_t value) { return std::to_string(value); }
std::string text_of(double value) { return fmt::format("{:g}", value); }

}  // namespace detail

Option* Command::add(std::string flag, std::string help) {
  options_.push_back(std::make_unique<Option>());
  options_.back()->flag = flag.substr(0, flag.find(','));
  options_.back()->names = std::move(flag);
  options_.back()->help = std::move(help);
  return options_.back().get();
}

Option* Command::add_option_function(std::string flag, std::function<void(const std::string&)> take, std::string help) {
  Option* option = add(std::move(flag), std::move(help));
  option->take = [take = std::move(take)](const std::vector<std::string>& texts) { take(texts.front()); };
  return option;
}

Option* Command::add_flag(std::string flag, bool& value, std::string help) {
  return add_flag_callback(
      std::move(flag), [&value] { value = true; }, std::move(help));
}

Option* Command::add_flag_callback(std::string flag, std::function<void()> act, std::string help) {
  Option* option = add(std::move(flag), std::move(help));
  option->is_flag = true;
  option->kind = ValueKind::choice;
  option->take = [act = std::move(act)](const std::vector<std::string>&) { act(); };
  return option;
}

Command* Command::add_subcommand(std::string name, std::string about) {
  below_.push_back(std::make_unique<Command>(std::move(name), std::move(about)));
  return below_.back().get();
}

Command* Command::subcommand(std::string_view name) const {
  for (const auto& command : below_) {
    if (command->name() == name) return command.get();
  }
  throw std::invalid_argument(fmt::format("{} has no command '{}'", name_, name));
}

std::string Command::in_its_words(const std::string& message) const {
  std::map<std::string, std::string> lacking = renamed_;
  for (const auto& option : options_) lacking.erase(option->flag);
  return respell_flags(message, lacking);
}

Option* Command::option(std::string_view flag) const {
  for (const auto& option : options_) {
    if (option->flag == flag) return option.get();
  }
  throw std::invalid_argument(fmt::format("{} has no option '{}'", name_, flag));
}

}  // namespace sotto::apps
