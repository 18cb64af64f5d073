// How ids are compared that companies wrote down apart: their Unicode form, case and blanks, made alike before anything
// else is done with them.
//
// "Zoë" can be written with one character for ë or with two; NFC makes one of them. NFKC also makes the same of
// full-width and of usual letters, of ligatures and of what they join. Case is folded as Unicode says: ß and ss are
// then the same. Blanks are all that Unicode counts as white space, so the ones that do not break as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sotto::apps {

enum class UnicodeForm : std::uint8_t { as_written, nfc, nfkc };
enum class IdCase : std::uint8_t { keep, fold };
enum class IdBlanks : std::uint8_t {
  ends,  // those at the ends are no part of an id
  one,   // also, several within are one space
  none,  // an id has none
};

struct IdForm {
  UnicodeForm unicode = UnicodeForm::nfc;
  IdCase letters = IdCase::keep;
  IdBlanks blanks = IdBlanks::ends;
};

// The id as it is compared; it may be empty. Done twice it is the same as once. Throws InputError where the text is not
// in UTF-8.
[[nodiscard]] std::string comparable_id(std::string_view id, const IdForm& form);

}  // namespace sotto::apps
