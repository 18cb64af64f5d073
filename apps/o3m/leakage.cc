#include "apps/o3m/leakage.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "apps/kit/files/json.h"
#include "core/text/count.h"

namespace sotto::apps::o3m {
namespace {

using Learned = std::vector<std::pair<std::string, std::string>>;

const char* const the_active = "active participant";

std::string passive(std::size_t number) { return fmt::format("passive participant {}", number); }

void check(const O3mParameters& parameters) {
  const bool featureless = std::any_of(parameters.columns.begin(), parameters.columns.end(),
                                       [](std::size_t columns) { return columns == 0; });
  const bool nobody = parameters.mask_generator &&
                      (*parameters.mask_generator == 0 || *parameters.mask_generator >= parameters.participants());
  if (parameters.participants() < 2 || featureless || nobody) {
    throw std::invalid_argument("leakage_words: these are no participants of an O3M run");
  }
}

// If a participant has k features, k independent known contexts reveal its rotation. k - 1 known contexts reveal the
// rotation up to one reflection.
std::string recovery(std::size_t features, const std::string& whose) {
  if (features == 1) {
    return fmt::format(
        "Reads {} exactly, up to one sign, without knowing any context: one column has no direction to hide. One known "
        "context gives the sign.",
        whose);
  }
  return fmt::format(
      "Knowing {}, linearly independent, it computes {} of all users exactly; knowing {}, up to one sign; knowing "
      "fewer, the part that lies in their span.",
      counted(features, "context"), whose, features - 1);
}

void geometry(Learned& words, const std::string& whose) {
  words.emplace_back(the_active, fmt::format("Norms, distances, inner products (the whole Gram matrix) and duplicates "
                                             "of all users and arms, exactly, in {}.",
                                             whose));
}

void active_alone(Learned& words, const O3mParameters& parameters) {
  words.emplace_back(the_active,
                     "Its own features and its own block of the mask; arms, rewards and scores; the model, of its own "
                     "features in clear.");
  const std::size_t others = parameters.dimension() - parameters.columns[0];
  if (parameters.participants() == 2) {
    const std::string whose = "the features of passive participant 1";
    words.emplace_back(the_active,
                       "With two participants it subtracts its own part from the sum and has the block of the other: "
                       "secure summation hides nothing here.");
    geometry(words, whose);
    words.emplace_back(the_active, recovery(others, whose));
  } else if (parameters.insecure_blocks) {
    words.emplace_back(the_active, "The masked block of each participant by itself (--insecure-blocks).");
    geometry(words, "the features of each passive participant separately");
    for (std::size_t j = 1; j < parameters.participants(); ++j) {
      words.emplace_back(the_active, recovery(parameters.columns[j], fmt::format("the features of {}", passive(j))));
    }
  } else {
    geometry(words, "the joint features of all passive participants");
    words.emplace_back(the_active, recovery(others, "the joint features of all passive participants"));
    words.emplace_back(
        the_active,
        "The norms and inner products of one passive participant by itself it cannot read off, as long as no other "
        "passive participant helps: blocks are summed securely. Where features are recovered, these follow.");
  }
  if (others > 1) {
    words.emplace_back(the_active,
                       "Without any known context, independent component analysis finds features that are independent "
                       "and not Gaussian, up to order and sign.");
  }
}

std::string generator_name(const O3mParameters& parameters) {
  return parameters.mask_generator ? passive(*parameters.mask_generator) + ", the mask generator"
                                   : std::string("mask generator");
}

void others_alone(Learned& words, const O3mParameters& parameters) {
  const char* const announced = "of every participant the number of features and the bound on the norm";
  const char* const nothing = "no arm, no reward, no model";
  for (std::size_t j = 1; j < parameters.participants(); ++j) {
    const bool generates = parameters.mask_generator == j;
    const std::string name = generates ? generator_name(parameters) : passive(j);
    words.emplace_back(name, fmt::format("Its own features; {} of the mask; {}. No context of others, {}.",
                                         generates ? "all" : "its own block", announced, nothing));
  }
  if (!parameters.mask_generator) {
    words.emplace_back(generator_name(parameters),
                       fmt::format("All of the mask; {}. No context, masked or not, {}.", announced, nothing));
  }
}

void groups(Learned& words, const O3mParameters& parameters) {
  words.emplace_back("active participant and mask generator",
                     parameters.participants() == 2 && parameters.mask_generator
                         ? std::string("Everything: they are all the participants there are.")
                         : fmt::format("Everything: the inverse of the mask gives every feature of every user exactly. "
                                       "So does whoever has the mask and {}.",
                                       parameters.insecure_blocks ? "reads the links of the active participant"
                                                                  : "the masked contexts"));
  if (parameters.participants() < 3) return;
  words.emplace_back(
      "active participant and passive participants",
      parameters.insecure_blocks
          ? "The features of those that help; of the others no more than the active participant learns alone."
          : fmt::format("The active participant learns of those that do not help all that it otherwise learns of all "
                        "passive participants together; when {}, of one by itself.",
                        parameters.participants() == 3 ? "one helps" : "all but one help"));
}

}  // namespace

std::string leakage_headline() {
  return "O3M hides features behind one secret rotation, not by encryption: the active participant sees all lengths "
         "and angles, and a few known users undo the rotation.";
}

std::vector<std::pair<std::string, std::string>> leakage_words(const O3mParameters& parameters) {
  check(parameters);
  Learned words;
  active_alone(words, parameters);
  others_alone(words, parameters);
  groups(words, parameters);
  return words;
}

nlohmann::ordered_json leakage(const O3mParameters& parameters) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [role, sentence] : leakage_words(parameters)) json[role].push_back(sentence);
  return json;
}

PageSection leakage_section(const O3mParameters& parameters) {
  PageTable table{{{"Role", ""}, {"Can learn", ""}}};
  table.css_class = "views";
  const Learned words = leakage_words(parameters);
  for (std::size_t i = 0; i < words.size();) {
    const std::string& role = words[i].first;
    std::string items;
    for (; i < words.size() && words[i].first == role; ++i) {
      items += element("li", "sees", escape_html(words[i].second));
    }
    table.rows.push_back({escape_html(role), element("ul", "", items)});
  }
  return {"Knowledge of each role",
          paragraph("<strong>" + escape_html(leakage_headline()) + "</strong>") + to_html(table)};
}

}  // namespace sotto::apps::o3m
