// A Setting is a key of a role's config, with the struct member for its value. Config, environment variables, flags,
// `sotto init` and the handshake use the same list of settings.
//
//     number("run.bits", &BanditSettings::bits, {12, 24}, "Fraction bits of the arithmetic")
//     file("role.data", &BanditSettings::data, "A party's features, CSV").with_flag("--data")
//
// The tables [run] and [link] are the same at every role, and are part of the handshake's text. Each role has a table
// [role] of its own. The flag `--set t.k=value` and the environment variable SOTTO_<T>_<K> in capitals also set the key
// k of the table t.
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

// `above` excludes `least`.
struct Range {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool above = false;
};

struct Setting {
  std::string table;
  std::string name;
  ValueKind kind = ValueKind::text;
  std::string expected;  // what a value should be, for error messages
  std::string help;      // without full stop

  std::string flag{};  // such as "--data"
  std::string unit{};  // such as "FILE"
  bool required = false;
  std::string example{};             // a value in TOML; a config shows it in a comment if the setting is not set
  std::vector<std::string> roles{};  // roles whose configs show `example`
  std::string initial{};             // default of `sotto init`
  bool is_input = false;             // the value is the path of an input file
  bool of_owner = false;             // the owner of each role chooses the value
  // A run on one machine needs no flag for this setting.
  bool known_here = false;
  Range range{};
  std::vector<std::string> words{};  // allowed values
  // A warning about the setting, or an empty text if the setting is safe. The results of a run with this setting show
  // the name of the setting.
  std::string danger{};
  std::string remedy{};

  // Throws an InputError that starts with the value's origin if the value is wrong.
  std::function<void(const Section&, Settings&)> read{};
  // Returns nothing if a config has no line for the setting.
  std::function<std::optional<std::string>(const Settings&)> write{};

  // Such as "SOTTO_ROLE_DATA".
  [[nodiscard]] std::string variable() const;
  // Such as "role.data".
  [[nodiscard]] std::string path() const { return table + "." + name; }
  // Such as "--max-norm".
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

// `path` is "table.name".
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
[[nodiscard]] std::optional<std::string> toml_of(const std::string& value);

}  // namespace detail

// `Named` is needed if a base class of the settings has the member.
template <class Named, class Section>
using Having = std::conditional_t<std::is_void_v<Named>, Section, Named>;

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

// A config has no line for an empty text.
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

// A config has no line for an empty path.
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

// The reason is empty if the run may have the role.
[[nodiscard]] inline std::string stranger_to(RandomnessBy by, const std::string& role_word) {
  const bool dealer = role_word == "dealer" && !cast_of(by).has_dealer;
  const bool helper = role_word == "helper" && !cast_of(by).has_helper;
  return dealer || helper ? "preprocessing = \"" + std::string(name_of(by)) + "\" in [run] has no " + role_word : "";
}

}  // namespace sotto::apps
