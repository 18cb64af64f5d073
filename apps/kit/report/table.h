// A table of figures. A column has a head for people ("online, us") and a key for programs ("online_us"). An empty cell
// is shown as "-" and is null in JSON. Numbers are shown with three significant digits, but JSON has all digits. add()
// throws std::invalid_argument if the length of the row differs from the number of columns.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sotto::apps {

class Cell {
 public:
  Cell() = default;  // an empty cell
  Cell(const char* text) : value_(std::string(text)) {}
  Cell(std::string text) : value_(std::move(text)) {}
  template <std::floating_point T>
  Cell(T number) : value_(static_cast<double>(number)) {}
  template <std::unsigned_integral T>  // also takes bool
  Cell(T count) {
    if constexpr (std::same_as<T, bool>) {
      value_ = count;
    } else {
      value_ = static_cast<std::uint64_t>(count);
    }
  }
  template <class T>
  Cell(const std::optional<T>& value) {
    if (value) *this = Cell(*value);
  }

  [[nodiscard]] std::string shown() const;
  [[nodiscard]] nlohmann::ordered_json json() const;
  [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string>(value_); }

 private:
  std::variant<std::monostate, std::string, bool, double, std::uint64_t> value_;
};

class FigureTable {
 public:
  // The text "parties; step_us: step, us" describes two columns. The first column has the key and head "parties". The
  // second column has the key "step_us" and the head "step, us".
  FigureTable(std::string key, std::string title, std::string_view columns);

  void add(std::vector<Cell> row);
  void note(std::string sentence) { notes_.push_back(std::move(sentence)); }

  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& title() const noexcept { return title_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }

  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] std::string to_markdown() const;
  // The HTML does not contain the title.
  [[nodiscard]] std::string to_html() const;
  [[nodiscard]] nlohmann::ordered_json to_json() const;

 private:
  struct Column {
    std::string key;
    std::string head;
  };

  [[nodiscard]] bool left(std::size_t column) const;

  std::string key_;
  std::string title_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> notes_;
};

[[nodiscard]] std::string three_digits(double value);

}  // namespace sotto::apps
