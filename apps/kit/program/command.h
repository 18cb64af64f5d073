// The subcommands of a program as data, for the parser, help, man pages and completion.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/kit/program/option_values.h"

namespace sotto::apps {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Option {
  std::string flag;
  std::string names;  // such as "--codes,-k"
  std::string help;
  std::string type = "TEXT";
  std::string heading{};
  std::string standard{};    // the default, as --help shows it
  bool is_flag = false;      // true: no argument
  bool is_list = false;      // true: several arguments
  bool is_repeated = false;  // a list; each use of the flag adds one element
  bool is_required = false;
  ValueKind kind = ValueKind::text;
  bool is_hidden = false;  // hidden from users
  char separator = 0;
  std::optional<NumberKind> range{};
  std::vector<std::string> words{};  // allowed arguments
  std::vector<std::string> needed{};
  std::vector<std::string> excluded{};
  std::function<void(const std::vector<std::string>&)> take{};
  std::function<std::string()> current{};
  std::size_t given = 0;
  std::vector<std::string> texts{};

  // Throws UsageError if a text is invalid.
  void give(std::vector<std::string> these);

  Option* type_name(std::string name) { return set(type, std::move(name)); }
  // An empty name hides the option from --help.
  Option* group(std::string name);
  Option* required(bool value = true) { return set(is_required, value); }
  Option* number(NumberKind kind_of_number) { return set(range, std::optional(std::move(kind_of_number))); }
  Option* one_of(std::vector<std::string> these) { return set(words, std::move(these)); }
  Option* each_time() { return set(is_repeated, true); }
  Option* separated_by(char c) { return set(separator, c); }
  // --help shows the present value of the variable, or the given text, as the default.
  Option* shows_default() { return set(standard, current()); }
  Option* shows(std::string text) { return set(standard, std::move(text)); }
  Option* needs(const std::string& other) {
    needed.push_back(other);
    return this;
  }
  Option* needs(const Option* other) { return needs(other->flag); }
  Option* excludes(const std::string& other) {
    excluded.push_back(other);
    return this;
  }
  Option* excludes(const Option* other) { return excludes(other->flag); }
  [[nodiscard]] std::size_t count() const { return given; }

 private:
  template <class T>
  Option* set(T& member, T value) {
    member = std::move(value);
    return this;
  }
};

namespace detail {

[[nodiscard]] std::uint64_t whole_of(const std::string& text);
[[nodiscard]] double real_of(const std::string& text);
[[nodiscard]] std::string text_of(std::uint64_t value);
[[nodiscard]] std::string text_of(double value);

template <class T>
struct Text {
  static_assert(std::integral<T> || std::floating_point<T>);
  static constexpr bool is_whole = std::integral<T>;
  static constexpr bool is_list = false;
  static constexpr const char* type = is_whole ? (std::is_signed_v<T> ? "INT" : "UINT") : "FLOAT";
  static constexpr ValueKind kind = is_whole ? ValueKind::whole : ValueKind::real;
  static T read(const std::string& text) {
    if constexpr (is_whole) return static_cast<T>(whole_of(text));
    if constexpr (!is_whole) return static_cast<T>(real_of(text));
  }
  static std::string show(const T& value) {
    if constexpr (is_whole) return text_of(static_cast<std::uint64_t>(value));
    if constexpr (!is_whole) return text_of(static_cast<double>(value));
  }
};
template <>
struct Text<std::string> {
  static constexpr bool is_list = false;
  static constexpr const char* type = "TEXT";
  static constexpr ValueKind kind = ValueKind::text;
  static std::string read(const std::string& text) { return text; }
  static std::string show(const std::string& value) { return value; }
};
template <>
struct Text<std::filesystem::path> {
  static constexpr bool is_list = false;
  static constexpr const char* type = "TEXT";
  static constexpr ValueKind kind = ValueKind::path;
  static std::filesystem::path read(const std::string& text) { return text; }
  static std::string show(const std::filesystem::path& value) { return value.string(); }
};
template <class T>
struct Text<std::optional<T>> : Text<T> {
  static std::string show(const std::optional<T>& value) { return value ? Text<T>::show(*value) : std::string(); }
};
template <class T>
struct Text<std::vector<T>> : Text<T> {
  static constexpr bool is_list = true;
  static std::string show(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) text += (text.empty() ? "" : ",") + Text<T>::show(value);
    return values.size() == 1 ? text : "[" + text + "]";
  }
};

}  // namespace detail

struct CommandRole;

class Command {
 public:
  Command(std::string name, std::string about) : name_(std::move(name)), about_(std::move(about)) {}

  // `value` must live as long as the command line.
  template <class T>
  Option* add_option(std::string flag, T& value, std::string help) {
    Option* option = add(std::move(flag), std::move(help));
    option->type = detail::Text<T>::type;
    option->is_list = detail::Text<T>::is_list;
    option->kind = detail::Text<T>::kind;
    option->current = [&value] { return detail::Text<T>::show(value); };
    option->take = [&value](const std::vector<std::string>& texts) {
      if constexpr (detail::Text<T>::is_list) {
        value.clear();
        for (const std::string& text : texts) value.push_back(detail::Text<T>::read(text));
      } else {
        value = detail::Text<T>::read(texts.front());
      }
    };
    return option;
  }
  template <class T>
  Option* add_option(std::string flag, T& value, std::string help, NumberKind kind) {
    return add_option(std::move(flag), value, std::move(help))->number(std::move(kind))->shows_default();
  }
  Option* add_option_function(std::string flag, std::function<void(const std::string&)> take, std::string help);
  Option* add_flag(std::string flag, bool& value, std::string help);
  Option* add_flag_callback(std::string flag, std::function<void()> act, std::string help);

  Command* add_subcommand(std::string name, std::string about);
  void footer(std::string text) { footer_ = std::move(text); }
  // A command without `act` needs a subcommand.
  void callback(std::function<void()> act) { act_ = std::move(act); }
  // `act` is called before the command runs, and may set options that no flag has set. If `act` returns false, the
  // command does not run.
  void before(std::function<bool()> act) { before_ = std::move(act); }
  void runs(std::shared_ptr<const CommandRole> role) { role_ = std::move(role); }
  // Maps flags to other names. Error messages say "max_norm in [run]" instead of "--max-norm".
  void renames_flags(std::map<std::string, std::string> names) { renamed_ = std::move(names); }
  void hide() { is_hidden_ = true; }
  void group(std::string heading) { heading_ = std::move(heading); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& about() const { return about_; }
  [[nodiscard]] const std::string& footer_text() const { return footer_; }
  [[nodiscard]] bool is_hidden() const { return is_hidden_; }
  [[nodiscard]] const std::string& heading() const { return heading_; }
  [[nodiscard]] const std::function<void()>& act() const { return act_; }
  [[nodiscard]] const std::function<bool()>& before() const { return before_; }
  [[nodiscard]] const CommandRole* role() const { return role_.get(); }
  [[nodiscard]] const std::vector<std::unique_ptr<Command>>& subcommands() const { return below_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Option>>& options() const { return options_; }
  // Applies renames_flags().
  [[nodiscard]] std::string in_its_words(const std::string& message) const;
  // These functions throw std::invalid_argument if there is no such subcommand or option.
  [[nodiscard]] Command* subcommand(std::string_view name) const;
  [[nodiscard]] Option* option(std::string_view flag) const;
  [[nodiscard]] std::size_t count(std::string_view flag) const { return option(flag)->given; }

 private:
  Option* add(std::string flag, std::string help);

  std::string name_;
  std::string about_;
  std::string footer_;
  bool is_hidden_ = false;
  std::string heading_;
  std::function<void()> act_;
  std::function<bool()> before_;
  std::shared_ptr<const CommandRole> role_;
  std::map<std::string, std::string> renamed_;
  std::vector<std::unique_ptr<Command>> below_;
  std::vector<std::unique_ptr<Option>> options_;
};

}  // namespace sotto::apps
