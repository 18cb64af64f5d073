# The pages tell the truth about what can be checked: every relative link leads somewhere, every file named in
# code type exists, and every subcommand and flag is one that the program's --help knows.
#   cmake -DROOT=.. -DSOTTO=.. -DLAB=.. -P docs_test.cmake
cmake_minimum_required(VERSION 3.22)
set(faults "")
file(GLOB pages RELATIVE ${ROOT} ${ROOT}/*.md ${ROOT}/docs/*.md)
list(LENGTH pages count)
if(count LESS 5)
  message(FATAL_ERROR "only ${count} pages: the test looks in the wrong place")
endif()

# The text of a page without the characters that split or join CMake's lists; a link's ]( becomes @LINK(.
function(read_page page result)
  file(READ ${ROOT}/${page} text)
  string(REPLACE "[](" " (" text "${text}")  # a lambda
  string(REPLACE "](" "@LINK(" text "${text}")
  string(REGEX REPLACE "[][;\\]" " " text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# 1. What the programs know: known_commands(RESULT PROGRAM) sets the names of all subcommands, also of those that are not listed
# below, and adds all help to `known`.
set(known "")
function(help_of program result)
  execute_process(COMMAND ${program} ${ARGN} --help OUTPUT_VARIABLE help ERROR_VARIABLE help RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} ${ARGN} --help ends with ${status}: ${help}")
  endif()
  set(${result} "${help}" PARENT_SCOPE)
endfunction()

# Down to any depth: a row of --help that starts with a lower-case word names a subcommand.
function(known_commands program words result)
  help_of(${program} help ${words})
  string(APPEND known "${help}")
  string(REGEX REPLACE "\nExamples:.*" "" help "${help}")
  string(REGEX MATCHALL "\n  ([a-z][a-z0-9]*) +[A-Z]" rows "${help}")
  set(names "")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "[a-z][a-z0-9]*" name "${row}")
    list(APPEND names ${name})
    known_commands(${program} "${words};${name}" ignored)
  endforeach()
  set(known "${known}" PARENT_SCOPE)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

known_commands(${SOTTO} "" subcommands)
known_commands(${LAB} "" lab_subcommands)
# Of other programs that the pages call.
set(other_flags --preset --build --install --prefix --ci --list --quick --all --sanitizers --update --repeats)

foreach(page IN LISTS pages)
  read_page(${page} text)
  get_filename_component(folder ${ROOT}/${page} DIRECTORY)

  # 2. Links.
  string(REGEX MATCHALL "@LINK\\([^)# ]+" links "${text}")
  foreach(link IN LISTS links)
    string(SUBSTRING "${link}" 6 -1 target)
    if(NOT target MATCHES "^[a-z]+:" AND NOT EXISTS ${folder}/${target})
      string(APPEND faults "${page}: the link to ${target} leads nowhere\n")
    endif()
  endforeach()

  # 3. Files of the tree.
  string(REGEX MATCHALL "`(core|protocols|net|apps|bench|tests|scripts|cmake|docs)/[A-Za-z0-9_./-]+`" paths "${text}")
  foreach(path IN LISTS paths)
    string(REPLACE "`" "" path "${path}")
    if(NOT EXISTS ${ROOT}/${path})
      string(APPEND faults "${page}: there is no ${path}\n")
    endif()
  endforeach()

  # 4. Flags and subcommands.
  string(REGEX MATCHALL "[ `(]--[a-z][a-z-]*" flags "${text}")
  list(REMOVE_DUPLICATES flags)
  foreach(flag IN LISTS flags)
    string(SUBSTRING "${flag}" 1 -1 flag)
    if(NOT flag IN_LIST other_flags AND NOT known MATCHES "${flag}[^a-z-]")
      string(APPEND faults "${page}: ${flag} is no flag of sotto or sotto-lab\n")
    endif()
  endforeach()
  string(REGEX MATCHALL "(`|\n    |[$] )sotto(-lab)? [a-z][a-z0-9]*" calls "${text}")
  foreach(call IN LISTS calls)
    string(REGEX MATCH "sotto.*" call "${call}")
    string(REGEX MATCH "[a-z][a-z0-9]*$" subcommand "${call}")
    if(call MATCHES "^sotto-lab")
      set(all ${lab_subcommands})
    else()
      set(all ${subcommands})
    endif()
    if(NOT subcommand IN_LIST all)
      string(APPEND faults "${page}: there is no `${call}`\n")
    endif()
  endforeach()
endforeach()

if(faults)
  message(FATAL_ERROR "${faults}")
endif()
