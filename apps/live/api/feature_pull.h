// A party's features by asking for them: from its own feature service over HTTP or HTTPS, or from a table of rows, an
// entry a subject. What the feature service has not answered at the cut-off is missing, and the party's default row
// stands.
//
// The feature service gets   POST  {"events":["00ff..",..],"subjects":["p-81f2",null,..]}
// and answers 200 with       {"x":[[0.4,1],null,..]}   or   {"x":[[0.4,1],null,..],"subjects":["customer 81","-",..]}
// a row an event in the same order, null where it has none. Its subjects are the party's own names of whom the rows are
// about, by which it counts events; where it says "-", or has no subjects, the event counts for the subject that it was
// asked for. Rows of another length fail the whole answer, rows outside the bounds are dropped one by one; both are
// counted, and seen by nobody else. "subjects" is missing where no event has one.
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

// Rows by subject, from a CSV file with a column "subject" and the columns of the schema, in any order; further columns
// are ignored. Where the party has a recipe, the file is a table of the kind that the recipe was made of. The party's
// own ids are those of FILE.subjects, if that is there (apps/kit/account/subjects.h). Throws InputError that names file
// and line: a column that is missing, a subject that comes twice, a row outside the bounds.
class AlignedTable {
 public:
  AlignedTable(const std::filesystem::path& file, const FeatureSchema& schema);

  // Null where the table has no such subject.
  [[nodiscard]] const RowAtHand* find(const std::string& subject) const;
  // What the recipe met in that row; null without a recipe or without the subject.
  [[nodiscard]] const RowMarks* marks(const std::string& subject) const;
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  // FILE.subjects, and whether it is there.
  [[nodiscard]] const std::filesystem::path& file_of_subjects() const noexcept { return own_subjects_; }
  [[nodiscard]] bool has_own_subjects() const noexcept { return has_own_subjects_; }

 private:
  void read_made(const std::filesystem::path& file, const FeatureSchema& schema);
  void read_own_subjects(const std::filesystem::path& file, const std::vector<std::string>& pseudonyms);

  std::map<std::string, RowAtHand> rows_;
  std::filesystem::path own_subjects_;
  bool has_own_subjects_ = false;
  std::map<std::string, RowMarks> marks_;  // where there is a recipe
};

// From now on the service takes rows of the table, which is at hand: never too late for a cut-off. How they drift is
// counted in the context, and in `metrics` whether there are any, each time that they are looked up. All references
// must outlive the service.
void take_from_table(net::Io& io, PartyService& service, const SharedContext& context,
                     std::shared_ptr<const AlignedTable> table, Metrics& metrics);

struct PullConfig {
  HttpUrl url;
  WrapStream wrap{};  // of an https url
  // Called with a line for the log where the feature service fails: nothing of a row is in it.
  std::function<void(const std::string&)> on_failure = [](const std::string&) {};
};

class FeaturePull {
 public:
  // Answers the service's wants from now on. All references must outlive it, and it the calls of the service.
  FeaturePull(net::Io& io, PartyService& service, SharedContext context, PullConfig config, Metrics& metrics);

  // For a context whose clock is a test's.
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

// What goes to the feature service, and what comes back. Throws JsonError where it is not that.
[[nodiscard]] std::string pull_body(const std::vector<EventId>& events, const std::vector<std::string>& subjects);
struct PullAnswer {
  std::vector<std::optional<FeatureValues>> rows;
  std::vector<std::string> subjects;  // the party's own, of each event; may be empty
};
[[nodiscard]] PullAnswer read_pull_answer(std::string_view text, std::size_t events, std::size_t columns);

}  // namespace sotto::apps::live
