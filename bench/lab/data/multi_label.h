// Multi-label data: rows of features, each with a set of labels.
//
// Errors are InputError and name file:line:column. Errors never show the content of a cell.
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

// With these limits, a large number in a hostile file cannot fill the memory.
inline constexpr std::size_t most_features = std::size_t{1} << 20;
inline constexpr std::size_t most_labels = std::size_t{1} << 16;

struct MultiLabelRow {
  std::vector<std::uint32_t> labels;                       // ascending, without duplicates, from 0
  std::vector<std::pair<std::uint32_t, double>> features;  // ascending, from 0; all other features are 0
};

class MultiLabelReader {
 public:
  virtual ~MultiLabelReader() = default;
  [[nodiscard]] virtual bool next(MultiLabelRow& row) = 0;

 protected:
  MultiLabelReader(const std::filesystem::path& path, std::string kind);

  TextLines lines_;
  std::uint64_t rows_ = 0;
};

// Says which attributes of an ARFF file are labels, if the file's relation does not say so (Meka's "-C n").
struct LabelColumns {
  std::size_t count = 0;  // 0: the file's relation states the number
  bool first = false;     // the first attributes instead of the last
};

// Reads ARFF if the file name ends with .arff, otherwise libsvm. Throws InputError.
[[nodiscard]] std::unique_ptr<MultiLabelReader> open_multi_label(const std::filesystem::path& path,
                                                                 const LabelColumns& labels = {});

// libsvm's format: one row a line, cells separated by blanks:
//   1       labels, whole numbers from 0, separated by commas; missing if the line starts with a blank
//   2 ...   index:value, indices ascending from 1; other features are 0
// The first line may be a header of three whole numbers (rows, features, labels), as in the extreme classification
// repository. In a file with a header, indices count from 0. A comment begins with #. Blank lines at the end of the
// file are skipped.
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
  bool pending_ = false;
};

// Weka's ARFF, as Mulan and Meka publish data. The file contains "@relation name", a line "@attribute name type" for
// each column, "@data", and then one row a line. A row has all values separated by commas, or is "{index value, ...}"
// with ascending indices from 0. Types are numeric, real, integer, and {a,b,...}, which is nominal. A nominal value
// that is a number counts as this number; any other nominal value counts as its index in the list (from 0). Missing
// values (?), strings, dates and relations within rows are refused.
//
// Labels are the last or first `count` attributes, with the values 0 and 1. If count is 0, the relation must be in
// Meka's form: "name: -C 22" if the first 22 attributes are labels, and "name: -C -22" for the last 22.
class ArffReader : public MultiLabelReader {
 public:
  ArffReader(const std::filesystem::path& path, const LabelColumns& labels);

  [[nodiscard]] bool next(MultiLabelRow& row) override;

  [[nodiscard]] std::size_t features() const { return attributes_.size() - label_count_; }
  [[nodiscard]] std::size_t labels() const { return label_count_; }

 private:
  struct Attribute {
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
  std::size_t values_ = 0;
  std::size_t label_count_ = 0;
  bool labels_first_ = false;
};

}  // namespace sotto::apps::lab
