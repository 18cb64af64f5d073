// fuzz_seeds CORPUS FILE...: writes a corpus with one folder per target, from inputs that the encoders make and from
// the entries of the files. A line "=== TARGET" comes before the entries of a target. An entry is a line "== NAME",
// followed by the lines of the file NAME. In the lines of an entry, \xNN is a byte, \t a tab, \r a carriage return, and
// \\ a backslash. A backslash at the end joins a line to the next line. A line that begins with "\*N " is written N
// times.
// An entry "== +NAME" makes no file; a line "\+NAME" is replaced by the lines of that entry. The entry "dictionary" is
// libFuzzer's dictionary: CORPUS/../dictionaries/TARGET.
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/fuzz/seeds.h"

namespace sotto::fuzz {

namespace fs = std::filesystem;

void write(const fs::path& file, const Bytes& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void append(Bytes& to, const Bytes& bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

namespace {

Bytes unescaped(std::string_view line) {
  Bytes out;
  const auto put = [&](int byte) { out.push_back(static_cast<std::byte>(byte)); };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      put(line[i]);
      continue;
    }
    if (++i == line.size()) return out;
    switch (line[i]) {
      case '\\':
        put('\\');
        break;
      case 't':
        put('\t');
        break;
      case 'r':
        put('\r');
        break;
      case 'x':
        put(std::stoi(std::string(line.substr(i + 1, 2)), nullptr, 16));
        i += 2;
        break;
      default:
        throw std::runtime_error("unknown escape in: " + std::string(line));
    }
  }
  put('\n');
  return out;
}

void unpack(const fs::path& file, const fs::path& corpus) {
  std::string target;
  std::string name;
  Bytes bytes;
  std::map<std::string, Bytes> parts;
  const auto finish = [&] {
    if (name.starts_with('+')) {
      parts[name] = bytes;
    } else if (!name.empty()) {
      write(name == "dictionary" ? corpus.parent_path() / "dictionaries" / target : corpus / target / name, bytes);
    }
    bytes.clear();
    name.clear();
  };
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) {
      finish();
      target = line.substr(4);
      continue;
    }
    if (line.starts_with("== ")) {
      finish();
      name = line.substr(3);
      continue;
    }
    if (line.starts_with("\\+")) {
      append(bytes, parts.at(line.substr(1)));
      continue;
    }
    std::size_t times = 1;
    if (line.starts_with("\\*")) {
      const std::size_t space = line.find(' ');
      times = std::stoul(line.substr(2, space));
      line.erase(0, space + 1);
    }
    const Bytes once = unescaped(line);
    while (times-- > 0) append(bytes, once);
  }
  finish();
}

}  // namespace
}  // namespace sotto::fuzz

int main(int argc, char** argv) try {
  if (argc < 2) return 2;
  namespace fs = std::filesystem;
  const fs::path corpus = argv[1];
  // Removes files of earlier seeds, which would otherwise be replayed in every later run.
  fs::remove_all(corpus);
  sotto::fuzz::write_net_seeds(corpus);
#ifdef SOTTO_SEEDS_OF_APPS
  sotto::fuzz::write_apps_seeds(corpus);
#endif
  for (int i = 2; i < argc; ++i) sotto::fuzz::unpack(argv[i], corpus);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
  return 1;
}
