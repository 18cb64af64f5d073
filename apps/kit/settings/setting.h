// A Setting is one entry in a program's list of settings. A Setting describes a key of a role's config, and the struct
// member that stores the value of the key. The list of settings is the only source for the reader and the writer of
// configs, environment variables and flags. The same list is the only source for `--print-config`, `sotto init`, the
// handshake's text and the hints in error messages.
//
//     number("run.bits", &BanditSettings::bits, {12, 24}, "Fraction bits of the arithmetic")
//     file("role.data", &BanditSettings::data, "A party's features, CSV").with_flag("--data")
//
// A key belongs to a table of the config file. The tables [run] and [link] are the same at every role and are part of
// the handshake's text, while each role has its own table [role]. The flag `--set t.k=value` and the environment
// variable SOTTO_<T>_<K> in capitals also set the key k of the table t. A key that users often need also has a flag of
// its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/kit/program/option_values.h"
#include "apps/kit/settings/section.h"
#include "sotto/protocol/preprocessing/randomness_by.h"

namespace sotto::apps {

struct Settings;

// The range of a number, from `least` to `most`. `above` excludes `least` itself.
struct Range {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool above = false;
};

struct Setting {
  std::string table;
  std::string name;
  ValueKind kind = ValueKind::text;
  std::string expected;  // the end of the error "<name> in [<table>] must be <expected>"
  std::string help;      // the meaning of the setting, a sentence without a full stop

  std::string flag{};                // the setting's own flag, such as "--data"; may be empty
  std::string unit{};                // unit of the flag's argument, such as "FILE"
  bool required = false;             // true: a config without the setting is refused
  std::string example{};             // TOML that a written config shows as a comment while the setting is not set
  std::vector<std::string> roles{};  // roles whose config shows the example; empty: all roles
  std::string initial{};             // the value that `sotto init` uses if none is given
  bool is_input = false;             // true: the value names a file that the role reads
  bool of_owner = false;             // true: each role's owner decides, so `sotto init` has no flag for it
  // True if a run of all roles on one machine needs no flag for the setting, because the program knows the value.
  bool known_here = false;
  Range range{};                     // range of the number
  std::vector<std::string> words{};  // the value must be one of these words
  // The warning about a run with this setting; empty if the setting is safe. A run with a dangerous setting is
  // insecure, and its results are marked with the name of the setting.
  std::string danger{};
  std::string remedy{};

  // Reads the value from a table into the struct. If the value is wrong, throws an InputError that starts with the
  // value's origin.
  std::function<void(const Section&, Settings&)> read{};
  // The value in the struct as TOML. Returns nothing if a config has no line for the setting.
  std::function<std::optional<std::string>(const Settings&)> write{};

  // The setting's environment variable: "SOTTO_ROLE_DATA".
  [[nodiscard]] std::string variable() const;
  // The setting's path: "role.data".
  [[nodiscard]] std::string path() const { return table + "." + name; }
  // The flag in commands that take the run's settings as flags: "--max-norm", "--link-delay".
  [[nodiscard]] std::string run_flag() const;

  Setting with_flag(std::string text) && { return with(&Setting::flag, std::move(text)); }
  Setting with_flag(std::string text, std::string of) && {
    unit = std::move(of);
    return with(&Setting::flag, std::move(text));
  }
  Setting needed() && { return with(&Setting::required, true); }
  Setting shown_as(std::string toml, std::vector<std::string> of_roles = {}) && {
    roles = std::move(of_roles);
    return with(&Setting::example, std::move(toml));
  }
  Setting initially(std::string text) && { return with(&Setting::initial, std::move(text)); }
  Setting as_input() && { return with(&Setting::is_input, true); }
  Setting by_owner() && { return with(&Setting::of_owner, true); }
  Setting known_where_all_is() && { return with(&Setting::known_here, true); }
  Setting insecure(std::string what, std::string instead) && {
    remedy = std::move(instead);
    return with(&Setting::danger, std::move(what));
  }
  Setting expecting(std::string text) && { return with(&Setting::expected, std::move(text)); }
  // Writes the setting only if `holds` returns true.
  template <class S>
  Setting only_if(bool (*holds)(const S&)) && {
    write = [inner = std::move(write), holds](const Settings& settings) {
      return holds(static_cast<const S&>(settings)) ? inner(settings) : std::nullopt;
    };
    return std::move(*this);
  }

 private:
  template <class T>
  Setting with(T Setting::*member, T value) {
    this->*member = std::move(value);
    return std::move(*this);
  }
};

// Makes a setting with the path "table.name".
[[nodiscard]] Setting make_setting(std::string_view path, ValueKind kind, std::string expected, std::string help);

namespace detail {

template <class T>
struct Inner {
  using Type = T;
  static constexpr bool is_optional = false;
};
template <class T>
struct Inner<std::optional<T>> {
  using Type = T;
  static constexpr bool is_optional = true;
};

[[nodiscard]] std::string expected_number(ValueKind kind, const Range& range);
[[nodiscard]] std::optional<std::uint64_t> read_whole(const Section& table, const std::string& key, const Range& range);
[[nodiscard]] std::optional<double> read_real(const Section& table, const std::string& key, const Range& range);
[[nodiscard]] std::string toml_of(std::uint64_t value);
[[nodiscard]] std::string toml_of(double value);
[[nodiscard]] std::optional<std::string> toml_of(const std::string& value);  // nothing for an empty text

}  // namespace detail

// The type of the settings that have the member. `Named` must be given if the member belongs to a base class of the
// settings; otherwise the type is the member's own class.
template <class Named, class Section>
using Having = std::conditional_t<std::is_void_v<Named>, Section, Named>;

// A setting whose value is a number of the type of the member. If the member is a std::optional, the setting may be
// missing.
template <class Named = void, class C, class T>
[[nodiscard]] Setting number(std::string_view path, T C::*member, Range range, std::string help) {
  using S = Having<Named, C>;
  using Number = typename detail::Inner<T>::Type;
  constexpr ValueKind kind = std::integral<Number> ? ValueKind::whole : ValueKind::real;
  Setting setting = make_setting(path, kind, detail::expected_number(kind, range), std::move(help));
  setting.range = range;
  setting.read = [member, range, key = setting.name](const Section& table, Settings& settings) {
    if constexpr (std::integral<Number>) {
      if (const auto value = detail::read_whole(table, key, range)) {
        static_cast<S&>(settings).*member = static_cast<Number>(*value);
      }
    } else {
      if (const auto value = detail::read_real(table, key, range)) {
        static_cast<S&>(settings).*member = *value;
      }
    }
  };
  setting.write = [member](const Settings& settings) -> std::optional<std::string> {
    using Wide = std::conditional_t<std::integral<Number>, std::uint64_t, double>;
    const T& value = static_cast<const S&>(settings).*member;
    if constexpr (detail::Inner<T>::is_optional) {
      if (!value) return std::nullopt;
      return detail::toml_of(static_cast<Wide>(*value));
    } else {
      return detail::toml_of(static_cast<Wide>(value));
    }
  };
  return setting;
}

// The settings for the steps and arms of a run, which are the same for every program.
template <class S>
[[nodiscard]] Setting steps_setting() {
  return number<S>("run.steps", &S::steps, {1}, "Steps of the run")
      .expecting("a whole number of steps, at least 1")
      .needed()
      .initially("1000");
}
template <class S>
[[nodiscard]] Setting arms_setting(std::size_t most) {
  return number<S>("run.arms", &S::arms, {1, static_cast<double>(most)}, "Arms")
      .expecting("a whole number of arms, 1 to " + std::to_string(most))
      .needed()
      .initially("10");
}

// A setting that is true or false.
template <class Named = void, class C>
[[nodiscard]] Setting choice(std::string_view path, bool C::*member, std::string help) {
  using S = Having<Named, C>;
  Setting setting = make_setting(path, ValueKind::choice, "true or false", std::move(help));
  setting.read = [member, key = setting.name](const Section& table, Settings& settings) {
    if (const auto value = table.choice(key)) static_cast<S&>(settings).*member = *value;
  };
  setting.write = [member](const Settings& settings) -> std::optional<std::string> {
    return static_cast<const S&>(settings).*member ? "true" : "false";
  };
  return setting;
}

// A setting whose value is a text. A config has no line for the setting while the text is empty.
template <class Named = void, class C>
[[nodiscard]] Setting text(std::string_view path, std::string C::*member, std::string expected, std::string help) {
  using S = Having<Named, C>;
  Setting setting = make_setting(path, ValueKind::text, std::move(expected), std::move(help));
  setting.read = [member, key = setting.name](const Section& table, Settings& settings) {
    static_cast<S&>(settings).*member = table.text(key).value_or("");
  };
  setting.write = [member](const Settings& settings) {
    return detail::toml_of(static_cast<const S&>(settings).*member);
  };
  return setting;
}

// A setting whose value is the path of a file or a folder. A config has no line for the setting while the path is
// empty.
template <class Named = void, class C>
[[nodiscard]] Setting file(std::string_view path, std::filesystem::path C::*member, std::string help) {
  using S = Having<Named, C>;
  Setting setting = make_setting(path, ValueKind::path, "a file name", std::move(help));
  setting.unit = "FILE";
  setting.read = [member, key = setting.name](const Section& table, Settings& settings) {
    static_cast<S&>(settings).*member = table.path(key);
  };
  setting.write = [member](const Settings& settings) {
    return detail::toml_of((static_cast<const S&>(settings).*member).string());
  };
  return setting;
}

// A setting whose value is one of a few words, where each word stands for a value of the member.
template <class Named = void, class C, class T>
[[nodiscard]] Setting word(std::string_view path, T C::*member,
                           std::vector<std::pair<std::string, std::type_identity_t<T>>> words, std::string help) {
  using S = Having<Named, C>;
  std::string expected;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) expected += i + 1 == words.size() ? " or " : ", ";
    expected += '"' + words[i].first + '"';
  }
  Setting setting = make_setting(path, ValueKind::text, std::move(expected), std::move(help));
  for (const auto& [text, value] : words) setting.words.push_back(text);
  setting.read = [member, words, key = setting.name](const Section& table, Settings& settings) {
    const auto given = table.text(key);
    if (!given) return;
    for (const auto& [text, value] : words) {
      if (text != *given) continue;
      static_cast<S&>(settings).*member = value;
      return;
    }
    table.refuse(key);
  };
  setting.write = [member, words](const Settings& settings) -> std::optional<std::string> {
    for (const auto& [text, value] : words) {
      if (value == static_cast<const S&>(settings).*member) return detail::toml_of(text);
    }
    return std::nullopt;
  };
  return setting;
}

// The setting run.preprocessing, which is the same for every program that can run without a dealer.

template <class S>
[[nodiscard]] Setting preprocessing_setting() {
  std::vector<std::pair<std::string, RandomnessBy>> words;
  std::string help = "The maker of the randomness";
  for (const Cast& cast : casts) {
    help += (words.empty() ? ": " : "; ") + std::string(cast.in_short) + " (\"" + cast.name + "\")";
    words.emplace_back(cast.name, cast.by);
  }
  return word<S>("run.preprocessing", &S::preprocessing, std::move(words), std::move(help));
}

// The reason why a run whose randomness is made in the way `by` has no role `role_word`. The text is empty if the run
// may have the role.
[[nodiscard]] inline std::string stranger_to(RandomnessBy by, const std::string& role_word) {
  const bool dealer = role_word == "dealer" && !cast_of(by).has_dealer;
  const bool helper = role_word == "helper" && !cast_of(by).has_helper;
  return dealer || helper ? "preprocessing = \"" + std::string(name_of(by)) + "\" in [run] has no " + role_word : "";
}

}  // namespace sotto::apps
