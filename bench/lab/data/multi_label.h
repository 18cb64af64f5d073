// Multi-label data: rows of features, each with the set of labels that fit the row. The readers read one row after the
// other, from the file formats in which multi-label data are published.
//
// Errors are InputError and name file:line:column. The column is the number of the cell or value, from 1; in libsvm's
// format, the labels count as the first cell even if a row has no labels. Errors never show the content of a cell.
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

// The largest numbers of features and labels of a file. Without these limits, a large number in a hostile file could
// fill the memory.
inline constexpr std::size_t most_features = std::size_t{1} << 20;
inline constexpr std::size_t most_labels = std::size_t{1} << 16;

struct MultiLabelRow {
  std::vector<std::uint32_t> labels;                       // ascending, without duplicates, from 0
  std::vector<std::pair<std::uint32_t, double>> features;  // ascending, from 0; all other features are 0
};

class MultiLabelReader {
 public:
  virtual ~MultiLabelReader() = default;
  // Reads the next row into `row`; returns false at the end.
  [[nodiscard]] virtual bool next(MultiLabelRow& row) = 0;

 protected:
  // `kind` names the expected format of the file.
  MultiLabelReader(const std::filesystem::path& path, std::string kind);

  TextLines lines_;
  std::uint64_t rows_ = 0;  // number of rows read so far
};

// Says which attributes of an ARFF file are labels, unless the file's relation already says it (Meka's "-C n").
struct LabelColumns {
  std::size_t count = 0;  // number of labels; 0: the file's relation says how many
  bool first = false;     // true: the labels are the first attributes instead of the last ones
};

// Chooses the format by the ending of the file name: ARFF for .arff, and libsvm for any other ending. Throws InputError
// for a file that cannot be read.
[[nodiscard]] std::unique_ptr<MultiLabelReader> open_multi_label(const std::filesystem::path& path,
                                                                 const LabelColumns& labels = {});

// libsvm's format: one row a line, cells separated by blanks:
//   1       labels, whole numbers from 0, separated by commas; missing if the line starts with a blank
//   2 ...   index:value, indices ascending; features that are not named are 0
// Indices count from 1. The first line may be a header of three whole numbers (rows, features, labels), as in the
// extreme classification repository. The header is checked against the rows. In a file with a header, indices count
// from 0. A comment begins with #. Blank lines at the end of the file are skipped.
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
  bool pending_ = false;  // the first line is a row that was read in the search for a header
};

// Weka's ARFF, in the form in which Mulan and Meka publish data. % starts a comment line. The file has "@relation
// name", a line "@attribute name type" for each column, "@data", and then one row a line. A row has all values
// separated by commas, or is "{index value, ...}" with ascending indices from 0. Values without an index in such a row
// are 0. Types are numeric, real, integer, and {a,b,...}, which is nominal. A nominal value that is a number counts as
// this number; any other nominal value counts as its index in the list (from 0). Names and values may be in single or
// double quotes, with \ before a quote inside. Keywords may be in upper or lower case. Missing values (?), strings,
// dates and relations within rows are refused.
//
// Labels are attributes with the values 0 and 1: the last `count` attributes, or the first `count` attributes. If count
// is 0, the relation must say which attributes are labels, in Meka's form: "name: -C 22" if the first 22 attributes are
// labels, "name: -C -22" if the last 22 attributes are labels. All other attributes are features. Labels and features
// count from 0 in the file's order.
class ArffReader : public MultiLabelReader {
 public:
  ArffReader(const std::filesystem::path& path, const LabelColumns& labels);

  [[nodiscard]] bool next(MultiLabelRow& row) override;

  [[nodiscard]] std::size_t features() const { return attributes_.size() - label_count_; }
  [[nodiscard]] std::size_t labels() const { return label_count_; }

 private:
  struct Attribute {
    // The values of a nominal attribute, each with its index in the list; empty for a numeric attribute.
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
  std::size_t values_ = 0;  // number of nominal values so far, over all attributes
  std::size_t label_count_ = 0;
  bool labels_first_ = false;
};

}  // namespace sotto::apps::lab
