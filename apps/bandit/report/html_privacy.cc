#include <fmt/format.h>

#include "sotto/apps/bandit/report/html_sections.h"
#include "sotto/apps/bandit/report/text.h"
#include "sotto/apps/kit/report/markup.h"

namespace sotto::apps {
namespace {

constexpr const char* bounded_action =
    R"(<p class="formula">&eta; = log(A/&epsilon; &minus; A + 1) = {:.3f} &le; log(A/&epsilon;) = {:.3f}</p>
<p>This is the differential privacy of <strong>one opened action</strong>, for any data and any state
of the model: seeing one arm changes the odds between any two contexts by a factor of at most
<span class="together">e<sup>&eta;</sup>.</span></p>
)";

constexpr const char* unbounded_action =
    R"(<p class="formula">&eta; is unbounded</p>
<p>At &epsilon; = 0 the arm is never random, and an opened action has <strong>no differential
privacy</strong>.</p>
)";

constexpr const char* later_actions =
    R"(<p>Later actions depend on all earlier contexts, so <strong>a run is covered by the composed
figure only</strong>, which is vacuous for long runs. )";

constexpr const char* bounded_run =
    R"(For {}{}: &eta; = {} (basic), or {} at <span class="together">&delta; = {}</span>
(optimal composition).</p>
)";

constexpr const char* unbounded_run = "Here it is unbounded.</p>\n";

constexpr const char* limits =
    R"(<p>It covers arms. It does not cover rewards, reward curves (such as the one on this page), a
model opened with <code>--reveal-model</code>, or timing. It rests on the randomness of the dealer, who
must collude with nobody: who holds its state and sees the parties&rsquo; openings reads everything, and
for who holds it and sees arms &eta; bounds nothing.</p>
<p>Features, scores, rewards and the model are protected otherwise: the compute parties hold only shares
of them, and all but one of them together learn nothing about the rest, as long as every role follows
the protocol and the links between them are confidential.</p>
)";

// Arms of steps that were repeated after a crash were opened as well.
std::string repeated_text(const BanditResult& result) {
  if (!result.state || result.state->repeated_steps == 0) return {};
  return fmt::format(" and the {} that were repeated when the run was resumed",
                     human_count(static_cast<double>(result.state->repeated_steps)));
}

}  // namespace

std::string privacy_section(const BanditResult& result) {
  const EtaPerAction& action = result.eta_per_action;
  const EtaComposed& run = result.eta_composed;
  std::string text = action.exact
                         ? fmt::format(bounded_action, *action.exact, action.paper.value_or(0))
                         : unbounded_action;
  text += later_actions;
  text +=
      run.basic && run.optimal
          ? fmt::format(bounded_run, human_count(result.steps, "step"), repeated_text(result),
                        human_eta(*run.basic), human_eta(*run.optimal), scientific_html(run.delta))
          : unbounded_run;
  text += limits;
  return titled_section("Privacy", element("div", "statement", text));
}

}  // namespace sotto::apps
