#include "apps/python/binding/arrow_cells.h"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sotto::python {
namespace {

namespace py = pybind11;

using Reader = std::function<std::string(std::int64_t index)>;

constexpr std::int64_t longest_array = std::int64_t{1} << 40;  // so small that sums cannot overflow

struct Source {
  const ArrowSchema& type;
  const ArrowArray& array;
  const std::string& column;

  [[noreturn]] void refuse(const std::string& what) const {
    throw py::value_error(fmt::format("{}: its Arrow array {}", column, what));
  }

  // Arrays without rows may have no buffers.
  template <class T>
  [[nodiscard]] const T* buffer(std::int64_t number) const {
    if (number >= array.n_buffers || array.buffers == nullptr || array.buffers[number] == nullptr) {
      refuse("lacks a buffer");
    }
    return static_cast<const T*>(array.buffers[number]);
  }
};

template <class T>
T loaded(const T* values, std::int64_t index) {
  T value{};
  std::memcpy(&value, values + index, sizeof value);  // may be unaligned
  return value;
}

bool bit_of(const std::uint8_t* bits, std::int64_t index) {
  constexpr std::int64_t byte = 8;
  return (bits[index / byte] >> (index % byte) & 1) != 0;
}

// Whole numbers of a floating-point type also get a decimal point, as in 950.0.
template <class T>
std::string text_of_number(T value) {
  if (std::isnan(value)) return {};
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

template <class T>
Reader reader_of_whole(const Source& source) {
  return [values = source.buffer<T>(1)](std::int64_t i) { return fmt::format("{}", loaded(values, i)); };
}

template <class T>
Reader reader_of_real(const Source& source) {
  return [values = source.buffer<T>(1)](std::int64_t i) { return text_of_number(loaded(values, i)); };
}

template <class Offset>
Reader reader_of_texts(const Source& source) {
  const auto* const offsets = source.buffer<Offset>(1);
  return [source, offsets](std::int64_t i) {
    const Offset begin = loaded(offsets, i);
    const Offset end = loaded(offsets, i + 1);
    if (begin < 0 || end < begin) source.refuse("has texts that end before they begin");
    if (begin == end) return std::string();  // if all texts are empty, there may be no buffer of bytes
    return std::string(source.buffer<char>(2) + begin, static_cast<std::size_t>(end - begin));
  };
}

// A TextView contains a text of at most 12 bytes itself. A longer text is in one of the buffers after the views.
struct TextView {
  std::int32_t length;
  std::int32_t prefix;
  std::int32_t buffer;
  std::int32_t offset;
};
static_assert(sizeof(TextView) == 16);

Reader reader_of_text_views(const Source& source) {
  const auto* const views = source.buffer<TextView>(1);
  return [source, views](std::int64_t i) {
    constexpr std::int32_t longest_inside = 12;
    const auto view = loaded(views, i);
    if (view.length < 0) source.refuse("has a text of a negative length");
    const auto length = static_cast<std::size_t>(view.length);
    if (view.length <= longest_inside) {
      return std::string(reinterpret_cast<const char*>(views + i) + sizeof view.length, length);
    }
    // The last buffer has the lengths of the other buffers.
    if (view.buffer < 0 || view.offset < 0 || view.buffer >= source.array.n_buffers - 3) {
      source.refuse("has a text outside of its buffers");
    }
    return std::string(source.buffer<char>(2 + view.buffer) + view.offset, length);
  };
}

__extension__ using Whole128 = __int128;
__extension__ using Size128 = unsigned __int128;

// `format` is d:precision,scale, or d:precision,scale,128.
Reader reader_of_decimals(const Source& source) {
  const std::string format = source.type.format;
  const std::size_t comma = format.find(',');
  const std::size_t second = comma == std::string::npos ? comma : format.find(',', comma + 1);
  if (comma == std::string::npos || (second != std::string::npos && format.substr(second) != ",128")) return {};
  constexpr long most_scale = 38;
  const long scale = std::strtol(format.c_str() + comma + 1, nullptr, 10);
  if (scale < 0 || scale > most_scale) return {};
  return [values = source.buffer<Whole128>(1), scale = static_cast<std::size_t>(scale)](std::int64_t i) {
    const Whole128 value = loaded(values, i);
    const auto size = value < 0 ? -static_cast<Size128>(value) : static_cast<Size128>(value);
    std::string digits = fmt::format("{}", size);
    if (scale > 0) {
      if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
      digits.insert(digits.size() - scale, 1, '.');
    }
    return (value < 0 ? "-" : "") + digits;
  };
}

constexpr std::int64_t seconds_of_day = 86'400;

std::int64_t floor_divided(std::int64_t value, std::int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

// The years 1 to 9999 are those of Python's dates.
std::optional<std::string> text_of_day(std::int64_t day) {
  using std::chrono::sys_days;
  constexpr std::int64_t first = sys_days(std::chrono::year(1) / 1 / 1).time_since_epoch().count();
  constexpr std::int64_t last = sys_days(std::chrono::year(9999) / 12 / 31).time_since_epoch().count();
  if (day < first || day > last) return std::nullopt;
  const std::chrono::year_month_day date{sys_days(std::chrono::days(day))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string required_day(std::int64_t day) {
  if (auto text = text_of_day(day)) return *text;
  throw std::out_of_range("a date outside of the years 1 to 9999");
}

// There are `parts` units of `value` in a second. As in pandas, the text has 0, 6 or 9 digits after the seconds.
std::string text_of_time(std::int64_t value, std::int64_t parts, bool has_zone) {
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  const std::int64_t second = floor_divided(value, parts);
  const std::int64_t rest = (value - second * parts) * (nanoseconds / parts);
  const std::int64_t day = floor_divided(second, seconds_of_day);
  const std::int64_t time = second - day * seconds_of_day;
  std::string text = fmt::format("{} {:02}:{:02}:{:02}", required_day(day), time / 3600, time / 60 % 60, time % 60);
  if (rest % 1000 != 0) {
    text += fmt::format(".{:09}", rest);
  } else if (rest != 0) {
    text += fmt::format(".{:06}", rest / 1000);
  }
  return text + (has_zone ? "+00:00" : "");
}

Reader reader_of_times(const Source& source, std::string_view format) {
  if (format == "tdD") {
    return [values = source.buffer<std::int32_t>(1)](std::int64_t i) { return required_day(loaded(values, i)); };
  }
  if (format == "tdm") {
    return [values = source.buffer<std::int64_t>(1)](std::int64_t i) {
      return required_day(floor_divided(loaded(values, i), seconds_of_day * 1000));
    };
  }
  if (!format.starts_with("ts") || format.size() < 4 || format[3] != ':') return {};
  std::int64_t parts = 1;
  for (const char unit : std::string_view("smun")) {
    if (unit == format[2]) {
      return [parts, values = source.buffer<std::int64_t>(1), has_zone = format.size() > 4](std::int64_t i) {
        return text_of_time(loaded(values, i), parts, has_zone);
      };
    }
    parts *= 1000;
  }
  return {};
}

Reader reader_of_one_letter(const Source& source, char letter) {
  switch (letter) {
    case 'n':
      return [](std::int64_t) { return std::string(); };
    case 'b':
      return [bits = source.buffer<std::uint8_t>(1)](std::int64_t i) { return bit_of(bits, i) ? "True" : "False"; };
    case 'c':
      return reader_of_whole<std::int8_t>(source);
    case 'C':
      return reader_of_whole<std::uint8_t>(source);
    case 's':
      return reader_of_whole<std::int16_t>(source);
    case 'S':
      return reader_of_whole<std::uint16_t>(source);
    case 'i':
      return reader_of_whole<std::int32_t>(source);
    case 'I':
      return reader_of_whole<std::uint32_t>(source);
    case 'l':
      return reader_of_whole<std::int64_t>(source);
    case 'L':
      return reader_of_whole<std::uint64_t>(source);
    case 'f':
      return reader_of_real<float>(source);
    case 'g':
      return reader_of_real<double>(source);
    case 'u':
      return reader_of_texts<std::int32_t>(source);
    case 'U':
      return reader_of_texts<std::int64_t>(source);
    default:
      return {};
  }
}

Reader reader_of_values(const Source& source) {
  const std::string_view format = source.type.format;
  if (format.size() == 1) return reader_of_one_letter(source, format.front());
  if (format == "vu") return reader_of_text_views(source);
  if (format.starts_with("d:")) return reader_of_decimals(source);
  return reader_of_times(source, format);
}

std::string_view described(std::string_view format) {
  if (format == "e") return "float16, which a cast to float32 makes readable";
  if (format.starts_with("tt")) return "times of day";
  if (format.starts_with("tD") || format.starts_with("ti")) return "durations";
  if (format.starts_with("d:")) return "decimals of other than 128 bits, which a cast to float64 makes readable";
  if (format.starts_with("+")) return "lists, structs or other nested values";
  if (format == "z" || format == "Z" || format == "vz" || format.starts_with("w:")) return "bytes";
  return "another type";
}

// Arrays without nulls need not have the first buffer.
bool is_null(const ArrowArray& array, std::int64_t index) {
  if (array.null_count == 0 || array.n_buffers < 1 || array.buffers == nullptr || array.buffers[0] == nullptr) {
    return false;
  }
  return !bit_of(static_cast<const std::uint8_t*>(array.buffers[0]), index);
}

void check_lengths(const Source& source) {
  const ArrowArray& array = source.array;
  if (array.length < 0 || array.length > longest_array || array.offset < 0 || array.offset > longest_array) {
    source.refuse("has a negative length or offset");
  }
}

Reader reader_of_cells(const Source& source);

Reader reader_of_categories(const Source& source) {
  if (source.array.dictionary == nullptr) source.refuse("lacks its dictionary");
  const Source values{*source.type.dictionary, *source.array.dictionary, source.column};
  check_lengths(values);
  const Reader number_of = reader_of_values(source);
  const Reader value_of = values.array.length > 0 ? reader_of_cells(values) : Reader();
  if (!number_of || std::string_view("cCsSiIlL").find(source.type.format) == std::string_view::npos) {
    source.refuse("has categories without whole numbers");
  }
  return [source, values, number_of, value_of](std::int64_t i) {
    const std::string number = number_of(i);
    constexpr std::size_t most_digits = 18;  // fit 64 bits
    const bool fits = number.size() <= most_digits && number.front() != '-';
    const std::int64_t k = fits ? std::stoll(number) : longest_array;
    if (k >= values.array.length) source.refuse("has a category outside of its dictionary");
    return value_of(values.array.offset + k);
  };
}

Reader reader_of_cells(const Source& source) {
  const Reader read = source.type.dictionary != nullptr ? reader_of_categories(source) : reader_of_values(source);
  if (!read) {
    throw py::type_error(
        fmt::format("{}: {}, where numbers, texts, dates or truth values are expected; cast it, or "
                    "leave the column out with drop",
                    source.column, described(source.type.format)));
  }
  return [source, read](std::int64_t i) { return is_null(source.array, i) ? std::string() : read(i); };
}

}  // namespace

void add_cells(const ArrowSchema& type, const ArrowArray& array, std::int64_t first, std::int64_t rows,
               const std::string& column, std::size_t row, const std::function<void(std::string)>& add) {
  const Source source{type, array, column};
  check_lengths(source);
  if (first < 0 || rows < 0 || first + rows > array.length) source.refuse("has fewer rows than its table");
  if (rows == 0) return;
  const Reader read = reader_of_cells(source);
  std::int64_t i = 0;
  try {
    for (; i < rows; ++i) add(read(array.offset + first + i));
  } catch (const std::out_of_range& error) {
    throw py::value_error(fmt::format("row {}, {}: {}; make it missing, or leave the column out with drop",
                                      row + static_cast<std::size_t>(i), column, error.what()));
  }
}

void shorten_midnights(std::vector<std::string>& cells) {
  constexpr std::string_view midnight = " 00:00:00";
  const auto is_short = [&](const std::string& cell) { return cell.empty() || cell.ends_with(midnight); };
  if (!std::all_of(cells.begin(), cells.end(), is_short)) return;
  for (std::string& cell : cells) cell.resize(cell.empty() ? 0 : cell.size() - midnight.size());
}

}  // namespace sotto::python
