# What a program has in it of the libraries that a message passes through. It then calls them without a table, and what it uses
# of them lies on fewer pages: where a message comes to a process that slept, most of the time is memory that has to be
# found again (docs/performance.md has how much it is).
include_guard()

set(archives ssl crypto sqlite3 sodium utf8proc)

# Whether a program links with them, on this system: archives may be left out of its packages, or need more than they name.
function(sotto_try_archives result)
  set(found "")
  foreach(name IN LISTS archives)
    find_library(archive_of_${name} lib${name}.a)
    mark_as_advanced(archive_of_${name})
    if(NOT archive_of_${name})
      set(${result} "there is no lib${name}.a" PARENT_SCOPE)
      return()
    endif()
    list(APPEND found ${archive_of_${name}})
  endforeach()
  set(source "${PROJECT_BINARY_DIR}/archives.cc")
  file(CONFIGURE OUTPUT ${source} CONTENT [[
extern "C" {
void* SSL_CTX_new(const void*);
int sqlite3_initialize();
int sodium_init();
const char* utf8proc_version();
}
int main() { return SSL_CTX_new(nullptr) != nullptr && sqlite3_initialize() + sodium_init() == 0 && utf8proc_version(); }
]] @ONLY)
  try_compile(SOTTO_ARCHIVES_LINK "${PROJECT_BINARY_DIR}/archives" ${source} LINK_LIBRARIES ${found} ${CMAKE_DL_LIBS} -pthread)
  if(NOT SOTTO_ARCHIVES_LINK)
    set(${result} "no program links with them" PARENT_SCOPE)
  endif()
endfunction()

# sotto_link_archives(PROGRAM) has it linked with them where SOTTO_ARCHIVES is on.
function(sotto_link_archives program)
  if(NOT SOTTO_ARCHIVES OR SOTTO_SANITIZE)
    return()
  endif()
  if(NOT DEFINED SOTTO_ARCHIVES_LACK)
    set(lack "")
    sotto_try_archives(lack)
    set(SOTTO_ARCHIVES_LACK "${lack}" CACHE INTERNAL "Why the programs are not linked with archives")
    if(lack)
      message(STATUS "SOTTO_ARCHIVES: ${program} takes the shared libraries: ${lack}")
    endif()
  endif()
  if(SOTTO_ARCHIVES_LACK)
    return()
  endif()
  list(JOIN archives "," names)
  set(launcher ${PROJECT_SOURCE_DIR}/cmake/with-archives)
  set_target_properties(${program} PROPERTIES RULE_LAUNCH_LINK "\"${launcher}\" ${names}" LINK_DEPENDS ${launcher})
endfunction()
