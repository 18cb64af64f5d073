#include "apps/python/binding/arrow.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "apps/python/binding/arrow_abi.h"
#include "apps/python/binding/arrow_cells.h"
#include "core/text/terminal_safe.h"

namespace sotto::python {
namespace {

namespace py = pybind11;

[[noreturn]] void refuse(const std::string& what) { throw py::value_error("the frame: its Arrow stream " + what); }

// Empties the capsule.
void take(const py::capsule& capsule, ArrowOwned<ArrowArrayStream>& stream) {
  constexpr std::string_view name = "arrow_array_stream";
  if (capsule.name() == nullptr || name != capsule.name()) {
    throw py::type_error("the frame: __arrow_c_stream__ gave a capsule of another name than arrow_array_stream");
  }
  auto* const given = capsule.get_pointer<ArrowArrayStream>();
  if (given == nullptr || given->release == nullptr) refuse("was read already; give the frame itself");
  static_cast<ArrowArrayStream&>(stream) = *given;
  given->release = nullptr;
}

void require(int code, ArrowArrayStream& stream) {
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (code == 0) return;
  const char* const why = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
  refuse("failed" + (why == nullptr ? std::string() : ": " + sotto::terminal_safe(why)));
}

std::vector<std::string> names_of(const ArrowSchema& schema) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s") {
    throw py::type_error("the frame: expected a table of columns, and its Arrow stream has one array");
  }
  std::vector<std::string> names;
  for (std::int64_t c = 0; c < schema.n_children; ++c) {
    const ArrowSchema* const child = schema.children[c];
    if (child == nullptr || child->format == nullptr) refuse("has a column without a type");
    names.emplace_back(child->name == nullptr ? "" : child->name);
  }
  return names;
}

void check_batch(const ArrowSchema& schema, const ArrowArray& batch) {
  if (batch.n_children != schema.n_children) refuse("has a batch with another number of columns than its schema");
  if (batch.length < 0 || batch.offset < 0) refuse("has a batch of a negative length");
  if (batch.null_count > 0) refuse("has rows that are missing as a whole");
}

void add_batch(const ArrowSchema& schema, const ArrowArray& batch,
               const std::function<bool(const std::string&)>& is_read, FrameCells& cells) {
  check_batch(schema, batch);
  const std::size_t before = cells.columns.empty() ? 0 : cells.columns.front().size();
  for (std::size_t c = 0; c < cells.columns.size(); ++c) {
    std::vector<std::string>& column = cells.columns[c];
    if (!is_read(cells.names[c])) {
      column.resize(before + static_cast<std::size_t>(batch.length));
      continue;
    }
    if (batch.children == nullptr || batch.children[c] == nullptr) refuse("has a batch without one of its columns");
    add_cells(*schema.children[c], *batch.children[c], batch.offset, batch.length,
              fmt::format("column '{}'", cells.names[c]), before,
              [&](std::string cell) { column.push_back(std::move(cell)); });
  }
}

}  // namespace

FrameCells cells_of_stream(const py::capsule& capsule, const std::function<bool(const std::string&)>& is_read) {
  ArrowOwned<ArrowArrayStream> stream;
  take(capsule, stream);
  ArrowOwned<ArrowSchema> schema;
  require(stream.get_schema(&stream, &schema), stream);
  FrameCells cells;
  cells.names = names_of(schema);
  cells.columns.resize(cells.names.size());
  while (true) {
    ArrowOwned<ArrowArray> batch;
    require(stream.get_next(&stream, &batch), stream);
    if (batch.release == nullptr) break;
    add_batch(schema, batch, is_read, cells);
  }
  for (std::size_t c = 0; c < cells.columns.size(); ++c) {
    if (std::string_view(schema.children[c]->format).starts_with("ts")) shorten_midnights(cells.columns[c]);
  }
  return cells;
}

}  // namespace sotto::python
