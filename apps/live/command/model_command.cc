#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/out_options.h"
#include "apps/live/command/commands.h"
#include "apps/live/import/model_share.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

struct ModelArguments {
  std::vector<std::filesystem::path> shares;
  std::filesystem::path out;
  bool overwrite = false;
};

ModelShare read_share(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  auto share = decode_model_share(std::as_bytes(std::span(text.data(), text.size())));
  if (!share) {
    throw InputError(file.string(),
                     "is no share of a model, or was changed on the way: `sotto serve --export-share` "
                     "writes one at each party");
  }
  return *std::move(share);
}

void join(const ModelArguments& arguments) {
  check_out_file(arguments.out, arguments.overwrite);
  std::vector<std::pair<std::string, ModelShare>> shares;
  for (const std::filesystem::path& file : arguments.shares) shares.emplace_back(file.string(), read_share(file));
  const std::string text = json_text(joined_model(shares), 2) + "\n";
  if (arguments.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(arguments.out, text);
  }
}

}  // namespace

void add_model_command(Command& app) {
  Command* command =
      app.add_subcommand("model", "Put the model of a decision service together from the shares of all its parties");
  const auto arguments = std::make_shared<ModelArguments>();
  command
      ->add_option("shares", arguments->shares, "The files that `sotto serve --export-share` wrote, one of each party")
      ->required()
      ->type_name("FILE");
  command->add_option("--out", arguments->out, "Where the model goes, JSON (default: it is printed)");
  add_overwrite(*command, arguments->overwrite);
  command->footer(
      "The model is whole only with the files of all parties. Each party writes its own file if it agrees.\n"
      "Examples:\n"
      "  sotto serve --config party_0/config.toml --export-share party_0.share --of 13\n"
      "  sotto model party_0.share party_1.share --out model.json");
  command->callback([arguments] { join(*arguments); });
}

}  // namespace sotto::apps::live
