// Multi-label data: rows of features, each with the set of labels that fit it, read row by row from the formats that
// such data is published in.
//
// Errors are InputError and name file:line:column, where the column is the number of the cell or value (from 1; the
// cell of libsvm's labels is the first one even where it is missing). They never show what is in a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/kit/files/input_file.h"

namespace sotto::apps::lab {

// Features and labels that a file may have: a hostile number must not make memory grow.
inline constexpr std::size_t most_features = std::size_t{1} << 20;
inline constexpr std::size_t most_labels = std::size_t{1} << 16;

struct MultiLabelRow {
  std::vector<std::uint32_t> labels;                       // ascending, each once, from 0
  std::vector<std::pair<std::uint32_t, double>> features;  // ascending, from 0; others are 0
};

class MultiLabelReader {
 public:
  virtual ~MultiLabelReader() = default;
  // Reads the next row into `row`; false at the end.
  [[nodiscard]] virtual bool next(MultiLabelRow& row) = 0;

 protected:
  // `kind` is what the file should be.
  MultiLabelReader(const std::filesystem::path& path, std::string kind);

  TextLines lines_;
  std::uint64_t rows_ = 0;  // so far
};

// How an ARFF file tells labels from features, where its relation does not (Meka's "-C n").
struct LabelColumns {
  std::size_t count = 0;  // 0: as the relation says
  bool first = false;     // the first attributes, not the last ones
};

// By the ending of the name: .arff, or libsvm for any other. InputError for a file that cannot be read.
[[nodiscard]] std::unique_ptr<MultiLabelReader> open_multi_label(const std::filesystem::path& path,
                                                                 const LabelColumns& labels = {});

// libsvm's format: one line a row, cells separated by blanks:
//   1       labels, whole numbers from 0, separated by commas; missing where the line starts with a blank
//   2 ...   index:value, indices ascending; features that are not named are 0
// Indices count from 1. A first line of three whole numbers (rows, features, labels: the header of the extreme
// classification repository) is checked against what follows, and with it indices count from 0. # begins a comment;
// lines of blanks alone are skipped where they are at the end of the file.
class LibsvmReader : public MultiLabelReader {
 public:
  explicit LibsvmReader(const std::filesystem::path& path);

  [[nodiscard]] bool next(MultiLabelRow& row) override;

 private:
  struct Header {
    std::uint64_t rows = 0, features = 0, labels = 0;
  };

  [[nodiscard]] bool next_text(std::string_view& text);
  void read_header();
  void parse(std::string_view text, MultiLabelRow& row);
  void parse_labels(std::string_view cell, MultiLabelRow& row);
  void parse_feature(std::string_view cell, std::size_t number, MultiLabelRow& row);

  std::optional<Header> header_;
  bool pending_ = false;  // the first line is a row that was read to look for a header
};

// Weka's ARFF, as Mulan and Meka publish it: % starts a comment line; "@relation name"; a line "@attribute name type"
// for each column; "@data"; then one row a line, either all values separated by commas, or "{index value, ...}" with
// indices from 0 ascending, where what is not named is 0. Types are numeric, real, integer, and {a,b,...}: a nominal
// value that is a number counts as that number, any other as its place in the list (from 0). Names and values may stand
// in single or double quotes, with \ before a quote within. Words are upper or lower case alike. Missing values (?),
// strings, dates and relations within rows are refused.
//
// Labels are attributes of values 0 and 1: the last `count` ones, or the first ones; with count 0 the relation must say
// which, as Meka's does ("name: -C 22" the first 22, "-C -22" the last 22). What is not a label is a feature; both
// count from 0 in the file's order.
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

  std::vector<Attribute> attributes_;
  std::size_t values_ = 0;  // of all nominal attributes
  std::size_t label_count_ = 0;
  bool labels_first_ = false;
};

}  // namespace sotto::apps::lab
