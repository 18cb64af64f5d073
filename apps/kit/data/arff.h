// Multi-label data in Weka's format ARFF, as Mulan and Meka publish it, read row by row.
//
// The format: % starts a comment line; "@relation name"; a line "@attribute name type" for each column; "@data"; then
// one row a line, either all values separated by commas, or "{index value, ...}" with indices from 0 ascending, where
// what is not named is 0. Types are numeric, real, integer, and {a,b,...}: a nominal value that is a number counts as
// that number, any other as its place in the list (from 0). Names and values may stand in single or double quotes, with
// \ before a quote within. Words are upper or lower case alike.
//
// Labels are attributes of values 0 and 1: the last `count` ones, or the first ones; with count 0 the relation must say
// which, as Meka's does ("name: -C 22" the first 22, "-C -22" the last 22).
// What is not a label is a feature; both count from 0 in the file's order.
//
// Errors are InputError and name file:line:column (the number of the value from 1), never what is there. Missing values
// (?), strings, dates and relations within rows are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sotto/apps/kit/data/multi_label.h"
#include "sotto/apps/kit/files/text_lines.h"

namespace sotto::apps {

class ArffReader : public MultiLabelReader {
 public:
  ArffReader(const std::filesystem::path& path, const LabelColumns& labels);

  [[nodiscard]] bool next(MultiLabelRow& row) override;

  [[nodiscard]] std::size_t features() const { return attributes_.size() - label_count_; }
  [[nodiscard]] std::size_t labels() const { return label_count_; }

 private:
  struct Attribute {
    // Of a nominal one, each with its place in the list; none for a number.
    std::unordered_map<std::string, std::size_t> values;
  };

  void read_header(LabelColumns labels);
  void add_attribute(std::string_view text);
  void choose_labels(const LabelColumns& labels);
  void parse_dense(std::string_view text, MultiLabelRow& row);
  void parse_sparse(std::string_view text, MultiLabelRow& row);
  void place_value(std::size_t attribute, std::string_view text, std::size_t cell, MultiLabelRow& row);
  [[nodiscard]] double number_of(const Attribute& attribute, std::string_view text, std::size_t cell) const;

  TextLines lines_;
  std::vector<Attribute> attributes_;
  std::size_t values_ = 0;  // of all nominal attributes
  std::size_t label_count_ = 0;
  bool labels_first_ = false;
  std::uint64_t rows_ = 0;
};

}  // namespace sotto::apps
