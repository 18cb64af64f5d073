# A program that is linked with static archives calls the libraries' functions directly, not through a table of
# addresses. The code that it uses is also on fewer memory pages (docs/explain/performance.md has the figures).
include_guard()
include(CheckCXXSourceCompiles)

# Linking with archives may fail, because packages may leave out archives, or archives may need libraries that they do
# not name.
function(sotto_link_archives program)
  if(NOT SOTTO_ARCHIVES OR SOTTO_SANITIZE)
    return()
  endif()
  set(names ssl crypto sqlite3 sodium utf8proc)
  set(CMAKE_REQUIRED_LIBRARIES "")
  foreach(name IN LISTS names)
    find_library(archive_of_${name} lib${name}.a)
    mark_as_advanced(archive_of_${name})
    list(APPEND CMAKE_REQUIRED_LIBRARIES ${archive_of_${name}})
  endforeach()
  list(APPEND CMAKE_REQUIRED_LIBRARIES ${CMAKE_DL_LIBS} -pthread)
  check_cxx_source_compiles([[
extern "C" {
void* SSL_CTX_new(const void*);
int sqlite3_initialize();
int sodium_init();
const char* utf8proc_version();
}
int main() { return SSL_CTX_new(nullptr) != nullptr && sqlite3_initialize() + sodium_init() == 0 && utf8proc_version(); }
]] SOTTO_ARCHIVES_LINK)
  list(JOIN names "," names)
  if(NOT SOTTO_ARCHIVES_LINK)
    message(STATUS "${program} takes the shared libraries: no program links with the archives of ${names}")
    return()
  endif()
  set(launcher ${PROJECT_SOURCE_DIR}/cmake/with-archives)
  set_target_properties(${program} PROPERTIES RULE_LAUNCH_LINK "\"${launcher}\" ${names}" LINK_DEPENDS ${launcher})
endfunction()
