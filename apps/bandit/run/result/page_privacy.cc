#include "apps/bandit/run/result/page.h"

#include <fmt/format.h>

#include <array>

#include "apps/kit/report/human.h"
#include "core/text/count.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr const char* dealer_box = R"(<b>dealer</b><span>deals masks and exploration coins ahead; sees no data</span>)";

constexpr const char* no_dealer_box =
    R"(<b>no dealer</b><span>the parties make masks and coins together ahead; two of them together could read
everything</span>)";

constexpr const char* helper_box =
    R"(<b>helper</b><span>makes masks and coins with the parties ahead; knows none of them, sees no data</span>)";

constexpr const char* shared_computation =
    R"(<b>the shared computation</b><span>what passes between the parties looks uniformly random to
each of them: shares, and values under one-time masks</span>)";

constexpr const char* randomness_note =
    R"(None of this happens while every role follows the protocol and colludes with nobody. All compute parties together
could always read everything.)";

constexpr const char* bounded_action =
    R"(<p class="formula">&eta; = log(A/&epsilon; &minus; A + 1) = {:.3f} &le; log(A/&epsilon;) = {:.3f}</p>
<p>This is the differential privacy of <strong>one opened action</strong>, for any data and any model state.
Seeing one arm changes the odds between any two contexts by a factor of at most
<span class="together">e<sup>&eta;</sup>.</span></p>
)";

constexpr const char* unbounded_action =
    R"(<p class="formula">&eta; is unbounded</p>
<p>At &epsilon; = 0 the arm is never random, and an opened action has <strong>no differential
privacy</strong>.</p>
)";

constexpr const char* no_action =
    R"(<p><strong>No arm was opened</strong>: the run learned from a log. It told nobody anything about a
context except what is named above. Statements about arms elsewhere apply once a run plays.</p>
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
model opened with <code>--reveal-model</code>, or timing. )";

constexpr const char* coins_of_a_dealer =
    R"(It depends on the randomness of the dealer, which
must collude with nobody. Anybody who holds its state and sees the parties&rsquo; openings reads everything.
For anybody who holds its state and sees arms, &eta; bounds nothing.</p>
<p>Features, scores, rewards and the model are protected in another way. The compute parties hold only shares
of them, and all but one of these parties together learn nothing about the rest. This holds as long as every
role follows the protocol and the links between the roles are confidential.</p>
)";

constexpr const char* coins_of_nobody =
    R"(It depends on coins that <strong>no role
knows</strong>: the three compute parties drew them together, each holds a part, and two of them together
know them all. For these two, &eta; bounds nothing.</p>
<p>Features, scores, rewards and the model are protected in another way. One compute party by itself learns
nothing about the rest, as long as every role follows the protocol and the links between the roles are
confidential. But <strong>two of the three together read everything</strong>: this is weaker than a run with
a dealer, where all but one of the parties may collude.</p>
)";

constexpr const char* coins_of_neither =
    R"(It depends on coins that <strong>no role
knows</strong>: the two compute parties drew them together, and each holds a part. For both together,
&eta; bounds nothing.</p>
<p>Features, scores, rewards and the model are protected in another way. One compute party by itself learns
nothing about the rest, as long as every role follows the protocol and the links between the roles are
confidential. This protection depends on oblivious transfers, which is a computational assumption. The masks
of a dealer need none except about its generator.</p>
)";

constexpr const char* coins_with_a_helper =
    R"(It depends on coins that <strong>no role
knows</strong>: the two compute parties and the helper drew them together. Each holds a part, and two of
these three together know them all. For these two, &eta; bounds nothing.</p>
<p>Features, scores, rewards and the model are protected in another way. One of these three by itself learns
nothing about the rest, as long as every role follows the protocol and the links between the roles are
confidential. But <strong>a party with the helper reads everything</strong>, as a party with a dealer
does. The helper by itself lacks a piece of every mask, and receives no message of the steps.</p>
)";

struct ModeText {
  const char* box;
  const char* coins;
};

// One text for each value of RandomnessBy, in the order of the enum.
constexpr std::array mode_texts{ModeText{dealer_box, coins_of_a_dealer}, ModeText{no_dealer_box, coins_of_nobody},
                                ModeText{no_dealer_box, coins_of_neither}, ModeText{helper_box, coins_with_a_helper}};
static_assert(mode_texts.size() == casts.size());
const ModeText& text_of(RandomnessBy by) { return mode_texts[static_cast<std::size_t>(by)]; }

std::string limits_of(const BanditResult& result) { return std::string(limits) + text_of(result.preprocessing).coins; }

std::string repeated_text(const BanditResult& result) {
  if (!result.state || result.state->repeated_steps == 0) return {};
  return fmt::format(" and the {} that were repeated when the run was resumed",
                     human_count(static_cast<double>(result.state->repeated_steps)));
}

bool same_view(const RoleView& one, const RoleView& other) {
  return one.learns == other.learns && one.never_sees == other.never_sees;
}

std::string box(const std::string& name, const std::string& text) {
  return element("div", "box", element("b", "", escape_html(name)) + element("span", "", text));
}

std::string flow(const BanditResult& result) {
  std::string parties, outside;
  for (const PartyInput& input : result.inputs) {
    parties += box(input.name, fmt::format("{} in {}, which stay here", counted(input.features, "feature"),
                                           escape_html(input.file)));
  }
  for (const RoleView& view : result.views) {
    if (!view.role.starts_with("actor") && !view.role.starts_with("rewarder")) continue;
    outside += box(view.role, escape_html(fmt::format("learns only {}", fmt::join(view.learns, ", "))));
  }
  const auto arrow = R"(<div class="arrow" data-wide="&rarr;" data-narrow="&darr;" aria-hidden="true"></div>)";
  const std::string core =
      element("div", "box dealer", text_of(result.preprocessing).box) + element("div", "box core", shared_computation);
  return element("div", "flow",
                 element("div", "stack", parties) + arrow + element("div", "stack joined", core) + arrow +
                     element("div", "stack", outside));
}

}  // namespace

std::string list_of(const std::vector<std::string>& items, std::string_view css_class) {
  std::string list;
  for (const std::string& item : items) list += element("li", css_class, escape_html(item));
  return element("ul", "", list);
}

PageSection views_section(const BanditResult& result) {
  if (result.views.empty()) return {};
  PageTable table{{{"Role", ""}, {"Learns", ""}, {"Never sees", ""}}};
  table.css_class = "views";
  const RoleView* before = nullptr;
  for (const RoleView& view : result.views) {
    if (before != nullptr && same_view(*before, view)) {
      table.rows.back().front() += "<br>" + escape_html(view.role);
    } else {
      table.rows.push_back({escape_html(view.role), list_of(view.learns, "sees"), list_of(view.never_sees, "blind")});
    }
    before = &view;
  }
  return {"Each role's view", flow(result) + to_html(table)};
}

PageSection randomness_section(const BanditResult& result) {
  if (result.randomness.empty()) return {};
  PageTable table{{{"Source of randomness", ""},
                   {"Drawn by", ""},
                   {"Roles that would have to collude", ""},
                   {"Data that they could read", ""}}};
  for (const RandomnessSource& source : result.randomness) {
    table.rows.push_back({escape_html(source.source), escape_html(source.drawn_by),
                          escape_html(sets_in_words(source.read_by)), escape_html(source.what)});
  }
  return {"The knowledge of colluding roles", note(randomness_note) + to_html(table)};
}

PageSection privacy_section(const BanditResult& result) {
  const EtaPerAction& action = result.eta_per_action;
  const EtaComposed& run = result.eta_composed;
  if (result.log) return {"Privacy", element("div", "statement", std::string(no_action) + limits_of(result))};
  std::string text =
      action.exact ? fmt::format(bounded_action, *action.exact, action.paper.value_or(0)) : unbounded_action;
  text += later_actions;
  text += run.basic && run.optimal
              ? fmt::format(bounded_run, human_count(result.steps, "step"), repeated_text(result),
                            human_eta(*run.basic), human_eta(*run.optimal), scientific_html(run.delta))
              : unbounded_run;
  text += limits_of(result);
  return {"Privacy", element("div", "statement", text)};
}

}  // namespace sotto::apps::bandit::run
