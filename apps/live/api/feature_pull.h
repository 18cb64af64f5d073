// Features that a party asks for. They come from its own feature service over HTTP or HTTPS, or from a table with one
// row per subject. If the feature service has not answered by the cut-off, the party's default row replaces the
// features.
//
// The feature service gets   POST  {"events":["00ff..",..],"subjects":["p-81f2",null,..]}
// and answers 200 with       {"x":[[0.4,1],null,..]}   or   {"x":[[0.4,1],null,..],"subjects":["customer 81","-",..]}
// The answer has one row per event in the same order, or null for an event without a row. "subjects" in the answer are
// the party's own names of the persons that the rows are about; the party counts events by these names. If a name is
// "-", or the answer has no "subjects", the event counts for the subject in the request. A row of another length makes
// the whole answer fail. A row outside the bounds is dropped, and the other rows are used. Both faults are counted, and
// no other role sees them. The request has no "subjects" if no event has a subject.
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

// Rows by subject, from a CSV file with a column "subject" and the columns of the schema, in any order. Further columns
// are ignored. If the party has a recipe, the file is a table of the kind that the recipe was made from. The party's
// own ids come from FILE.subjects, if that file exists (apps/kit/account/subjects.h). Throws InputError that names file
// and line, for a missing column, a subject that comes twice, or a row outside the bounds.
class AlignedTable {
 public:
  AlignedTable(const std::filesystem::path& file, const FeatureSchema& schema);

  // Null if the table has no such subject.
  [[nodiscard]] const RowAtHand* find(const std::string& subject) const;
  // The marks that the recipe made in the subject's row; null without a recipe or if the table has no such subject.
  [[nodiscard]] const RowMarks* marks(const std::string& subject) const;
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  // The path FILE.subjects, and whether the file exists.
  [[nodiscard]] const std::filesystem::path& file_of_subjects() const noexcept { return own_subjects_; }
  [[nodiscard]] bool has_own_subjects() const noexcept { return has_own_subjects_; }

 private:
  void read_made(const std::filesystem::path& file, const FeatureSchema& schema);
  void read_own_subjects(const std::filesystem::path& file, const std::vector<std::string>& pseudonyms);

  std::map<std::string, RowAtHand> rows_;
  std::filesystem::path own_subjects_;
  bool has_own_subjects_ = false;
  std::map<std::string, RowMarks> marks_;  // by subject, if there is a recipe
};

// From now on the service takes rows from the table. They are at hand, so they are never too late for a cut-off. Each
// look-up counts the row's drift in the context, and counts in `metrics` whether the table has such a row. All
// references must outlive the service.
void take_from_table(net::Io& io, PartyService& service, const SharedContext& context,
                     std::shared_ptr<const AlignedTable> table, Metrics& metrics);

struct PullConfig {
  HttpUrl url;
  WrapStream wrap{};  // makes the TLS stream of an https url
  // Takes a line for the log if the feature service fails. The line has nothing of a row in it.
  std::function<void(const std::string&)> on_failure = [](const std::string&) {};
};

class FeaturePull {
 public:
  // From now on answers the service's requests for features. All references must outlive this object, which must
  // outlive the service's calls.
  FeaturePull(net::Io& io, PartyService& service, SharedContext context, PullConfig config, Metrics& metrics);

  // Call repeatedly if the context has the clock of a test.
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

// The body for the feature service, and its answer. Throws JsonError if the text is not such an answer.
[[nodiscard]] std::string pull_body(const std::vector<EventId>& events, const std::vector<std::string>& subjects);
struct PullAnswer {
  std::vector<std::optional<FeatureValues>> rows;
  std::vector<std::string> subjects;  // the party's own name of each row's subject; may be empty
};
[[nodiscard]] PullAnswer read_pull_answer(std::string_view text, std::size_t events, std::size_t columns);

}  // namespace sotto::apps::live
