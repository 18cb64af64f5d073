#include "apps/live/api/feature_pull.h"

#include <fmt/format.h>

#include <utility>

#include "apps/kit/account/subjects.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/table.h"
#include "apps/live/api/event_text.h"
#include "apps/prepare/tables/table_rows.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

Counter& pulled(Metrics& metrics, const char* outcome) {
  return metrics.counter("sotto_pulled_features_total",
                         "Events whose features this party asked its own side for, by what came of it.",
                         {{"outcome", outcome}});
}

const char* outcome_of(PushStatus status) {
  switch (status) {
    case PushStatus::stored:
    case PushStatus::same:
      return "used";
    case PushStatus::too_late:
    case PushStatus::decided:
      return "late";
    case PushStatus::conflict:
      return "conflict";
    case PushStatus::full:
      break;
  }
  return "full";
}

void push_pulled(PartyService& service, std::vector<FeaturePush> pushes, Metrics& metrics) {
  if (pushes.empty()) return;
  service.push(pushes, [pushes, &metrics](const CallResult<std::vector<PushStatus>>& done) {
    for (std::size_t i = 0; i < pushes.size(); ++i) {
      const bool is_done = done.trouble == CallRefusal::none;
      pulled(metrics, is_done ? outcome_of(done.result.at(i)) : "failed").add();
    }
  });
}

constexpr const char* subject_twice = "the subject comes twice";

}  // namespace

std::string pull_body(const std::vector<EventId>& events, const std::vector<std::string>& subjects) {
  nlohmann::ordered_json body;
  body["events"] = nlohmann::ordered_json::array();
  for (const EventId& event : events) body["events"].push_back(event_text(event));
  if (subjects.empty()) return body.dump();
  body["subjects"] = nlohmann::ordered_json::array();
  for (const std::string& subject : subjects) {
    body["subjects"].push_back(subject.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(subject));
  }
  return body.dump();
}

PullAnswer read_pull_answer(std::string_view text, std::size_t events, std::size_t columns) {
  JsonLimits limits;
  limits.most_levels = 3;
  limits.most_values = 3 + events * (columns + 3);
  const nlohmann::json body = read_json_body(text, limits);
  JsonFields fields(body);
  PullAnswer answer;
  answer.rows = fields.need(fields.rows("x", events, columns), "x");
  answer.subjects.resize(events);
  if (auto subjects = fields.texts("subjects", events, apps::longest_subject)) {
    if (subjects->size() != events) fields.refuse("subjects", "expected a text for each event");
    answer.subjects = *std::move(subjects);
  }
  for (std::string& subject : answer.subjects) {
    if (!subject.empty() && !apps::is_subject(subject)) {
      fields.refuse("subjects", "expected texts without line breaks; all events of this answer have the default row");
    }
    if (!names_subject(subject)) subject.clear();
  }
  fields.finish();
  return answer;
}

FeaturePull::FeaturePull(net::Io& io, PartyService& service, SharedContext context, PullConfig config, Metrics& metrics)
    : service_(service),
      context_(std::move(context)),
      config_(std::move(config)),
      metrics_(metrics),
      client_(io, HttpClientConfig{config_.url.service, longest_batch, 64, context_->clocks.server, config_.wrap}) {
  service_.when_wanted([this](const std::vector<EventId>& events, const std::vector<std::string>& subjects,
                              LiveTime cut_off) { ask(events, subjects, cut_off); });
}

void FeaturePull::ask(const std::vector<EventId>& events, const std::vector<std::string>& subjects, LiveTime cut_off) {
  if (events.empty()) return;
  const LiveTime now = context_->clocks.role_now();
  const auto left = std::chrono::milliseconds(cut_off > now ? cut_off - now : 0);
  const auto deadline = context_->clocks.server_now() + left;
  client_.post_json(config_.url.path, pull_body(events, subjects), deadline,
                    [this, events](const HttpResult& result) { take(events, result); });
}

void FeaturePull::take(const std::vector<EventId>& events, const HttpResult& result) {
  const auto fail = [&](const std::string& why) {
    pulled(metrics_, "failed").add(static_cast<double>(events.size()));
    config_.on_failure("the feature service: " + printable(why));
  };
  if (!result.failure.empty()) return fail(result.failure);
  if (result.status != 200) return fail(fmt::format("status {}", result.status));
  std::vector<FeaturePush> pushes;
  pushes.reserve(events.size());
  try {
    PullAnswer answer = read_pull_answer(result.body, events.size(), context_->features.columns.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      std::optional<FeatureValues>& row = answer.rows[i];
      if (!row) {
        pulled(metrics_, "missing").add();
      } else if (!fault_of(context_->features, *row).empty()) {
        pulled(metrics_, "refused").add();
      } else {
        pushes.push_back({events[i], *std::move(row), std::move(answer.subjects[i])});
      }
    }
  } catch (const JsonError& error) {
    return fail(error.what());
  }
  push_pulled(service_, std::move(pushes), metrics_);
}

void take_from_table(net::Io& io, PartyService& service, const SharedContext& context,
                     std::shared_ptr<const AlignedTable> table, Metrics& metrics) {
  context->log(LogLevel::info, table->has_own_subjects()
                                   ? fmt::format("persons are counted by {}", table->file_of_subjects().string())
                                   : fmt::format("persons are counted by the pseudonyms of calls, as {} is not there",
                                                 table->file_of_subjects().string()));
  service.name_by([table](const std::string& pseudonym) {
    const RowAtHand* const row = table->find(pseudonym);
    return row == nullptr ? nullptr : &row->subject;
  });
  service.take_from([&io, context, table = std::move(table), &metrics](const std::string& subject) {
    const RowAtHand* const row = table->find(subject);
    pulled(metrics, row == nullptr ? "missing" : "used").add();
    if (const RowMarks* const met = table->marks(subject)) {
      // The context may be used only on the Io's thread.
      io.post([context, marks = *met] {
        context->drift.add(context->features.maker->recipe(), marks, context->clocks.role_now());
      });
    }
    return row;
  });
}

void AlignedTable::read_own_subjects(const std::filesystem::path& file, const std::vector<std::string>& pseudonyms) {
  own_subjects_ = apps::subjects_file_of(file);
  has_own_subjects_ = std::filesystem::exists(std::filesystem::symlink_status(own_subjects_));
  if (!has_own_subjects_) return;
  const std::vector<std::string> subjects = apps::read_subjects(own_subjects_, file, pseudonyms.size());
  for (std::size_t r = 0; r < pseudonyms.size(); ++r) rows_.at(pseudonyms[r]).subject = subjects[r];
}

void AlignedTable::read_made(const std::filesystem::path& file, const FeatureSchema& schema) {
  const prepare::TextTable table = prepare::TextTable::read(file);
  const std::size_t subject = table.column("subject", "it holds the pseudonym of a row");
  const prepare::TableRows rows(table, schema.maker->recipe());
  check_thousands(table, schema.maker->recipe());
  std::vector<std::string> pseudonyms;
  for_each_row(table, rows, schema.maker->recipe().columns.size(),
               [&](std::size_t r, std::span<const prepare::TableCell> cells) {
                 prepare::RowNotes notes;
                 FeatureValues row(schema.maker->width());
                 schema.maker->make(cells, row, notes);
                 if (const std::string fault = fault_of(schema, row); !fault.empty())
                   throw InputError(table.where(r), fault);
                 pseudonyms.emplace_back(table.cell(r, subject));
                 if (!rows_.emplace(pseudonyms.back(), RowAtHand{std::move(row), {}}).second) {
                   throw InputError(table.where(r, subject), subject_twice);
                 }
                 marks_.emplace(pseudonyms.back(), marks_of(notes));
               });
  read_own_subjects(file, pseudonyms);
}

AlignedTable::AlignedTable(const std::filesystem::path& file, const FeatureSchema& schema) {
  if (schema.maker != nullptr) {
    read_made(file, schema);
    return;
  }
  const auto is_subject = [](std::string_view name) { return name == "subject"; };
  const Table table = read_csv(file, Header::required, is_subject);
  const std::size_t subject = table.column("subject", "it holds the pseudonym of a row");
  std::vector<std::size_t> columns;
  columns.reserve(schema.columns.size());
  for (const FeatureColumn& column : schema.columns) {
    columns.push_back(table.column(column.name, "columns in [features] has it"));
  }
  std::vector<std::string> pseudonyms;
  pseudonyms.reserve(table.rows);
  for (std::size_t r = 0; r < table.rows; ++r) {
    const auto cells = table.row(r);
    FeatureValues row;
    row.reserve(columns.size());
    for (const std::size_t column : columns) row.push_back(cells[column]);
    if (const std::string fault = fault_of(schema, row); !fault.empty()) throw InputError(table.where(r), fault);
    pseudonyms.push_back(table.texts[subject].at(static_cast<std::size_t>(cells[subject])));
    if (!rows_.emplace(pseudonyms.back(), RowAtHand{std::move(row), {}}).second) {
      throw InputError(table.where(r, subject), subject_twice);
    }
  }
  read_own_subjects(file, pseudonyms);
}

const RowAtHand* AlignedTable::find(const std::string& subject) const {
  const auto found = rows_.find(subject);
  return found == rows_.end() ? nullptr : &found->second;
}

const RowMarks* AlignedTable::marks(const std::string& subject) const {
  const auto found = marks_.find(subject);
  return found == marks_.end() ? nullptr : &found->second;
}

}  // namespace sotto::apps::live
