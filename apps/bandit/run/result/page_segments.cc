#include <fmt/format.h>

#include "apps/bandit/run/result/page.h"
#include "apps/kit/report/human.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr const char* segments_note =
    R"(The same values for the events of each segment, by a column of the log that its owner chose. Segments divide the
cells of the counts, which costs no epsilon. The noise is the same in each count, so it weighs more where events are
few. Where the noise by itself would make more than a twentieth of the range of rewards, the model has no value. Each
interval holds with 95% by itself, so one of 20 segments is missed on average.)";

const PolicyValue* exact_in(const std::optional<Evaluation>& exact, const std::string& segment) {
  if (!exact) return nullptr;
  for (const SegmentValues& values : exact->segments) {
    if (values.segment == segment) return policy_of(values.policies, "model");
  }
  return nullptr;
}

std::string value_or_bounds(const PolicyValue& value) {
  return value.value ? estimate_text(value.value) : bounds_text(value.bounds);
}

std::string remark_on(const PolicyValue& model) {
  if (model.support == Support::too_few_events) return why_no_value(model);
  const std::string weight = mean_weight_text(*model.mean_weight);
  return model.has_value() ? weight : why_no_value(model) + ": " + weight;
}

}  // namespace

std::vector<SegmentLine> segment_lines(const Evaluation& evaluation, const std::optional<Evaluation>& exact) {
  std::vector<SegmentLine> lines;
  for (const SegmentValues& segment : evaluation.segments) {
    const PolicyValue* const model = policy_of(segment.policies, "model");
    const PolicyValue* const log = policy_of(segment.policies, "log");
    if (model == nullptr || log == nullptr || !log->value) continue;
    const PolicyValue* const twin = exact_in(exact, segment.segment);
    lines.push_back(
        {fmt::format("{} {}", evaluation.segment_column.value_or("segment"), segment.segment), value_or_bounds(*model),
         fmt::format("{} where the log earned {:.4f}; {}{}", human_count(segment.evaluated, "event"), log->value->value,
                     remark_on(*model), twin == nullptr ? "" : "; exact, in plain text: " + value_or_bounds(*twin))});
  }
  return lines;
}

PageSection segments_section(const BanditResult& result) {
  if (!result.evaluation || result.evaluation->segments.empty()) return {};
  PageTable table{{{"Segment", ""},
                   {"Events"},
                   {"The log"},
                   {"The model"},
                   {"Bounds"},
                   {"Mean weight"},
                   {"Support"},
                   {"In plain text, exact"}}};
  for (const SegmentValues& segment : result.evaluation->segments) {
    const PolicyValue* const model = policy_of(segment.policies, "model");
    const PolicyValue* const log = policy_of(segment.policies, "log");
    if (model == nullptr || log == nullptr) continue;
    const PolicyValue* const twin = exact_in(result.plaintext_evaluation, segment.segment);
    table.rows.push_back({escape_html(segment.segment), human_count(static_cast<double>(segment.evaluated)),
                          estimate_text(log->value), estimate_text(model->value), bounds_text(model->bounds),
                          mean_weight_cell(*model), support_text(model->support),
                          twin == nullptr ? "-" : value_or_bounds(*twin)});
  }
  const std::string column = escape_html(result.evaluation->segment_column.value_or("segment"));
  return {"By " + column, note(segments_note) + to_html(table)};
}

}  // namespace sotto::apps::bandit::run
