#include "bench/lab/data/multi_label.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "apps/kit/program/option_values.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {
namespace {

constexpr std::size_t most_attributes = most_features + most_labels;
constexpr std::size_t most_values = std::size_t{1} << 22;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string> take_text(std::string_view& text, std::string_view ends) {
  text = trim(text);
  if (text.empty() || (text.front() != '\'' && text.front() != '"')) {
    const std::string_view plain = text.substr(0, text.find_first_of(ends));
    text.remove_prefix(plain.size());
    return std::string(trim(plain));
  }
  const char quote = text.front();
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      out.push_back(text[++i]);
    } else if (text[i] == quote) {
      text.remove_prefix(i + 1);
      text = trim(text);
      return out;
    } else {
      out.push_back(text[i]);
    }
  }
  return std::nullopt;
}

// The number after Meka's "-C" in a relation's name. The number is negative if the last attributes are the labels.
std::optional<long> label_option(std::string_view relation) {
  for (std::size_t at = relation.find("-C"); at != std::string_view::npos; at = relation.find("-C", at + 1)) {
    std::string_view rest = trim(relation.substr(at + 2));
    const bool negative = rest.starts_with('-');
    if (negative) rest.remove_prefix(1);
    rest = rest.substr(0, rest.find_first_not_of("0123456789"));
    if (const auto count = number_of<std::uint64_t>(rest); count && *count > 0 && *count <= most_labels) {
      return negative ? -static_cast<long>(*count) : static_cast<long>(*count);
    }
  }
  return std::nullopt;
}

}  // namespace

ArffReader::ArffReader(const std::filesystem::path& path, const LabelColumns& labels)
    : MultiLabelReader(path, "an ARFF file") {
  read_header(labels);
}

void ArffReader::read_header(LabelColumns labels) {
  while (lines_.next()) {
    const std::string_view text = trim(lines_.text());
    if (text.empty() || text.front() == '%') continue;
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    const std::string_view rest = trim(text.substr(word.size()));
    if (same_word(word, "@relation")) {
      const std::optional<long> option = label_option(rest);
      if (labels.count == 0 && option) {
        labels = {static_cast<std::size_t>(std::abs(*option)), *option > 0};
      }
    } else if (same_word(word, "@attribute")) {
      add_attribute(rest);
    } else if (same_word(word, "@data")) {
      choose_labels(labels);
      return;
    } else {
      throw InputError(lines_.place(), "@relation, @attribute or @data is expected here");
    }
  }
  throw InputError(lines_.file(), "there is no line @data; this is no ARFF file");
}

void ArffReader::add_attribute(std::string_view text) {
  if (attributes_.size() == most_attributes) {
    throw InputError(lines_.place(), fmt::format("more than {} attributes", most_attributes));
  }
  const std::optional<std::string> name = take_text(text, " \t{");
  const std::string_view type = trim(text);
  if (!name || name->empty() || type.empty()) {
    throw InputError(lines_.place(), "\"@attribute name type\" is needed");
  }
  Attribute attribute;
  if (type.front() == '{') {
    std::string_view rest = type.substr(1);
    for (std::size_t place = 0;; ++place) {
      const std::optional<std::string> value = take_text(rest, ",}");
      if (!value || rest.empty() || value->empty() || (rest.front() != ',' && rest.front() != '}')) {
        throw InputError(lines_.place(), "the values of a nominal attribute are {a,b,...}");
      }
      attribute.values.emplace(*value, place);
      if (++values_ > most_values) throw InputError(lines_.place(), "too many nominal values");
      const bool last = rest.front() == '}';
      rest.remove_prefix(1);
      if (last) break;
    }
  } else if (!same_word(type, "numeric") && !same_word(type, "real") && !same_word(type, "integer")) {
    throw InputError(lines_.place(), "the type must be numeric, real, integer or {a,b,...}; remove other attributes");
  }
  attributes_.push_back(std::move(attribute));
}

void ArffReader::choose_labels(const LabelColumns& labels) {
  if (labels.count == 0) {
    throw InputError(
        lines_.file(),
        "the relation does not say which attributes are labels (\"-C n\"): give their number with --labels");
  }
  if (labels.count >= attributes_.size() || labels.count > most_labels ||
      attributes_.size() - labels.count > most_features) {
    throw InputError(
        lines_.file(),
        fmt::format("{} of {} cannot be labels: at least one label and one feature are needed, at most {} and {}",
                    labels.count, counted(attributes_.size(), "attribute"), most_labels, most_features));
  }
  label_count_ = labels.count;
  labels_first_ = labels.first;
}

bool ArffReader::next(MultiLabelRow& row) {
  while (lines_.next()) {
    const std::string_view text = trim(lines_.text());
    if (text.empty() || text.front() == '%') continue;
    row.labels.clear();
    row.features.clear();
    if (text.front() == '{') {
      parse_sparse(text, row);
    } else {
      parse_dense(text, row);
    }
    ++rows_;
    return true;
  }
  if (rows_ == 0) throw InputError(lines_.file(), "there is no row below @data");
  return false;
}

void ArffReader::parse_dense(std::string_view text, MultiLabelRow& row) {
  for (std::size_t attribute = 0;; ++attribute) {
    if (attribute == attributes_.size()) {
      throw InputError(lines_.place(),
                       fmt::format("more than {} values, one an attribute is needed", attributes_.size()));
    }
    const std::optional<std::string> value = take_text(text, ",");
    if (!value || (!text.empty() && text.front() != ',')) {
      throw InputError(lines_.place(attribute + 1), "a quote is not closed, or not at the end");
    }
    place_value(attribute, *value, attribute + 1, row);
    if (text.empty()) {
      if (attribute + 1 == attributes_.size()) return;
      throw InputError(lines_.place(), fmt::format("{}, one for each of {} is needed", counted(attribute + 1, "value"),
                                                   counted(attributes_.size(), "attribute")));
    }
    text.remove_prefix(1);
  }
}

void ArffReader::parse_sparse(std::string_view text, MultiLabelRow& row) {
  if (text.back() != '}') throw InputError(lines_.place(), "a sparse row ends with }");
  text = trim(text.substr(1, text.size() - 2));
  std::optional<std::size_t> last;
  for (std::size_t cell = 1; !text.empty(); ++cell) {
    const std::string_view index_text = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(index_text.size());
    const auto index = sotto::number_of<std::size_t>(index_text);
    if (!index || *index >= attributes_.size()) {
      throw InputError(lines_.place(cell),
                       fmt::format("\"index value\" is needed, with an index below {}", attributes_.size()));
    }
    if (last && *index <= *last) throw InputError(lines_.place(cell), "indices must ascend, each once");
    last = index;
    const std::optional<std::string> value = take_text(text, ",");
    if (!value || (!text.empty() && text.front() != ',')) {
      throw InputError(lines_.place(cell), "a quote is not closed, or not at the end");
    }
    place_value(*index, *value, cell, row);
    if (text.empty()) break;
    text = trim(text.substr(1));
    if (text.empty()) throw InputError(lines_.place(cell + 1), "a value is missing after the comma");
  }
}

void ArffReader::place_value(std::size_t attribute, std::string_view text, std::size_t cell, MultiLabelRow& row) {
  const double value = number_of(attributes_[attribute], text, cell);
  const std::size_t first_label = labels_first_ ? 0 : features();
  if (attribute >= first_label && attribute < first_label + label_count_) {
    if (value != 0 && value != 1) throw InputError(lines_.place(cell), "a label is neither 0 nor 1");
    if (value == 1) row.labels.push_back(static_cast<std::uint32_t>(attribute - first_label));
    return;
  }
  if (value == 0) return;
  row.features.emplace_back(static_cast<std::uint32_t>(attribute - (labels_first_ ? label_count_ : 0)), value);
}

double ArffReader::number_of(const Attribute& attribute, std::string_view text, std::size_t cell) const {
  if (text == "?") {
    throw InputError(lines_.place(cell), "a missing value (?): fill it in, or remove the row");
  }
  const auto value = cell_number(text);
  if (attribute.values.empty()) {
    if (value) return *value;
    throw InputError(lines_.place(cell),
                     fmt::format("not a finite number of at most {:g} in size; scale the attribute", largest_cell));
  }
  const auto found = attribute.values.find(std::string(text));
  if (found == attribute.values.end()) {
    throw InputError(lines_.place(cell), "not one of the values that the attribute can have");
  }
  return value.value_or(static_cast<double>(found->second));
}

}  // namespace sotto::apps::lab
