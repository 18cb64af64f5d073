# A program that is linked with static archives calls the libraries' functions directly, not through a table of
# addresses. The code that it uses is also on fewer memory pages (docs/explain/performance.md has the figures).
include_guard()
include(CheckCXXSourceCompiles)

# The libraries of Debian that have archives.
set(SOTTO_ARCHIVE_NAMES ssl crypto sqlite3 sodium utf8proc)

# sotto_check_archives() sets SOTTO_ARCHIVES_LINK to whether linking with archives works on this system. It may fail,
# because packages may leave out archives, or archives may need libraries that they do not name.
function(sotto_check_archives)
  set(CMAKE_REQUIRED_LIBRARIES "")
  foreach(name IN LISTS SOTTO_ARCHIVE_NAMES)
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
endfunction()

function(sotto_launch_link target names depends)
  list(JOIN names "," names)
  set(launcher ${PROJECT_SOURCE_DIR}/cmake/with-archives)
  set_target_properties(${target} PROPERTIES RULE_LAUNCH_LINK "\"${launcher}\" ${names}" LINK_DEPENDS "${launcher};${depends}")
endfunction()

# sotto_link_archives(PROGRAM) links PROGRAM with the archives if SOTTO_ARCHIVES is on and such linking works.
function(sotto_link_archives program)
  if(NOT SOTTO_ARCHIVES OR SOTTO_SANITIZE)
    return()
  endif()
  sotto_check_archives()
  if(NOT SOTTO_ARCHIVES_LINK)
    message(STATUS "${program} takes the shared libraries: no program links with the archives of ${SOTTO_ARCHIVE_NAMES}")
    return()
  endif()
  sotto_launch_link(${program} "${SOTTO_ARCHIVE_NAMES}" "")
endfunction()

# sotto_portable(TARGET) links TARGET so that it runs on systems without any library of sotto's: of the libraries, it
# takes only those of the compiler and of glibc from the system. SOTTO_ARCHIVES_LINK says whether this is possible.
function(sotto_portable target)
  if(NOT TARGET sotto_fmt)
    foreach(name fmt toml)
      add_library(sotto_${name} STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/portable/${name}.cc)
      set_target_properties(sotto_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                            ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable)
      target_compile_features(sotto_${name} PRIVATE cxx_std_20)
    endforeach()
    set_target_properties(sotto_toml PROPERTIES OUTPUT_NAME tomlplusplus)
    set_target_properties(sotto_fmt PROPERTIES OUTPUT_NAME fmt)
    target_compile_definitions(sotto_toml PRIVATE TOML_HEADER_ONLY=0)
  endif()
  set(archives ${PROJECT_BINARY_DIR}/portable/libfmt.a ${PROJECT_BINARY_DIR}/portable/libtomlplusplus.a)
  sotto_launch_link(${target} "${SOTTO_ARCHIVE_NAMES};${archives}" "${archives}")
  add_dependencies(${target} sotto_fmt sotto_toml)
endfunction()
