#include "apps/kit/http/lines.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/kit/files/json_text.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

std::vector<std::string_view> lines_of(std::string_view body, std::size_t most) {
  if (body.empty()) throw ProblemError(bad_body("expected one JSON object a line, got no line"));
  std::vector<std::string_view> lines;
  while (!body.empty()) {
    if (lines.size() == most) {
      Problem problem = too_large(0);
      problem.detail = fmt::format("at most {}", counted(most, "line"));
      throw ProblemError(std::move(problem));
    }
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

struct LineAnswers::Parts {
  Responder responder;
  std::vector<std::string> texts;  // empty: not yet given
  std::size_t missing;
};

LineAnswers::LineAnswers(Responder responder, std::size_t count)
    : parts_(std::make_shared<Parts>(Parts{std::move(responder), std::vector<std::string>(count), count})) {
  require_argument(count > 0, "answers to at least one line");
}

bool LineAnswers::waits() const noexcept { return parts_->missing > 0 && parts_->responder.waits(); }
const Responder& LineAnswers::responder() const noexcept { return parts_->responder; }

bool LineAnswers::put(std::size_t line, const nlohmann::json& answer) const {
  return put_text(line, json_text(answer));
}
bool LineAnswers::put(std::size_t line, const nlohmann::ordered_json& answer) const {
  return put_text(line, json_text(answer));
}
bool LineAnswers::put(std::size_t line, const Problem& problem) const { return put_text(line, problem_json(problem)); }

bool LineAnswers::put_text(std::size_t line, std::string text) const {
  Parts& parts = *parts_;
  require_argument(line < parts.texts.size(), "an answer to a line that is not there");
  if (!parts.texts[line].empty()) return false;
  parts.texts[line] = std::move(text);
  if (--parts.missing > 0) return parts.responder.waits();
  const std::size_t bytes = std::transform_reduce(parts.texts.begin(), parts.texts.end(), std::size_t{0}, std::plus<>(),
                                                  [](const std::string& each) { return each.size() + 1; });
  std::string body;
  body.reserve(bytes);
  for (std::string& each : parts.texts) {
    body += each;
    body += '\n';
  }
  return parts.responder.answer(Answer::text(std::move(body), lines_type));
}

}  // namespace sotto::apps
