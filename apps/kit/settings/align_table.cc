#include "apps/kit/settings/align_table.h"

#include <utility>

namespace sotto::apps {
namespace {

using R = RoleSettings;

}  // namespace

std::vector<Setting> align_setting_list(bool of_alignment) {
  std::vector<Setting> settings{
      word("align.unicode", &R::id_unicode,
           {{"nfc", UnicodeForm::nfc}, {"nfkc", UnicodeForm::nfkc}, {"raw", UnicodeForm::as_written}},
           "The Unicode form in which `sotto align` compares ids; \"raw\": as they are written"),
      word("align.case", &R::id_case, {{"keep", IdCase::keep}, {"fold", IdCase::fold}},
           "Whether ids that differ in upper and lower case alone are the same: \"fold\""),
      word("align.blanks", &R::id_blanks, {{"ends", IdBlanks::ends}, {"one", IdBlanks::one}, {"none", IdBlanks::none}},
           "Blanks of ids: those at the ends are dropped, further several are \"one\", or an id has \"none\""),
      text("align.also", &R::align_also, "a role beside the parties, such as \"actor\"",
           "A role beside the parties that has a table of its own")};
  const std::vector<const char*> flags{"--unicode", "--case", "--blanks", "--also"};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    settings[i].flag = flags[i];
    settings[i].unit = i + 1 == settings.size() ? "ROLE" : "FORM";
  }
  if (of_alignment) return settings;
  settings[0] = std::move(settings[0]).only_if<R>([](const R& s) { return s.id_unicode != UnicodeForm::nfc; });
  settings[1] = std::move(settings[1]).only_if<R>([](const R& s) { return s.id_case != IdCase::keep; });
  settings[2] = std::move(settings[2]).only_if<R>([](const R& s) { return s.id_blanks != IdBlanks::ends; });
  return settings;
}

ConfigTable align_config_table(bool of_alignment) {
  return {align_table, !of_alignment,
          "How `sotto align` compares ids. All companies that align their tables have this alike."};
}

}  // namespace sotto::apps
