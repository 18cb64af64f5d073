// A party's process fetches missing features from the party's own feature service, over HTTP or HTTPS, or from a table
// with one row per subject.
//
// The feature service gets   POST  {"events":["00ff..",..],"subjects":["p-81f2",null,..]}
// and answers 200 with       {"x":[[0.4,1],null,..]}   or   {"x":[[0.4,1],null,..],"subjects":["customer 81","-",..]}
//
// The answer has one row per event in the same order, or null for an event without a row. "subjects" in the answer are
// the party's own names for the people that the rows are about. If a name is "-", or the answer has no "subjects", the
// party uses the subject in the request. If a row has the wrong length, the whole answer is refused. If a row is
// outside the bounds, only this row is dropped.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/kit/http/client.h"
#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

// Rows by subject, from a CSV file with a column "subject" and the columns of the schema, in any order. Other columns
// are ignored. If the party has a recipe, the file has the columns of the table from which the recipe was made. The
// party's own ids come from FILE.subjects, if that file exists (apps/kit/account/subjects.h). Throws InputError with
// the file and the line if a column is missing, a subject occurs twice, or a row is outside the bounds.
class AlignedTable {
 public:
  AlignedTable(const std::filesystem::path& file, const FeatureSchema& schema);

  [[nodiscard]] const RowAtHand* find(const std::string& subject) const;
  [[nodiscard]] const RowMarks* marks(const std::string& subject) const;
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] const std::filesystem::path& file_of_subjects() const noexcept { return own_subjects_; }
  [[nodiscard]] bool has_own_subjects() const noexcept { return has_own_subjects_; }

 private:
  void read_made(const std::filesystem::path& file, const FeatureSchema& schema);
  void read_own_subjects(const std::filesystem::path& file, const std::vector<std::string>& pseudonyms);

  std::map<std::string, RowAtHand> rows_;
  std::filesystem::path own_subjects_;
  bool has_own_subjects_ = false;
  std::map<std::string, RowMarks> marks_;
};

// All arguments that are references must outlive the service.
void take_from_table(net::Io& io, PartyService& service, const SharedContext& context,
                     std::shared_ptr<const AlignedTable> table, Metrics& metrics);

struct PullConfig {
  HttpUrl url;
  WrapStream wrap{};
  // The line contains nothing from any row.
  std::function<void(const std::string&)> on_failure = [](const std::string&) {};
};

class FeaturePull {
 public:
  // All arguments that are references must outlive this object. This object must exist as long as the service may call
  // it.
  FeaturePull(net::Io& io, PartyService& service, SharedContext context, PullConfig config, Metrics& metrics);

  void tick() { client_.tick(); }

 private:
  void ask(const std::vector<EventId>& events, const std::vector<std::string>& subjects, LiveTime cut_off);
  void take(const std::vector<EventId>& events, const HttpResult& result);

  PartyService& service_;
  SharedContext context_;
  PullConfig config_;
  Metrics& metrics_;
  HttpClient client_;
};

// read_pull_answer() throws JsonError if the text is not an answer of the right form.
[[nodiscard]] std::string pull_body(const std::vector<EventId>& events, const std::vector<std::string>& subjects);
struct PullAnswer {
  std::vector<std::optional<FeatureValues>> rows;
  std::vector<std::string> subjects;
};
[[nodiscard]] PullAnswer read_pull_answer(std::string_view text, std::size_t events, std::size_t columns);

}  // namespace sotto::apps::live
