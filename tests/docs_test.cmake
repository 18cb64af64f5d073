# Checks that the pages are true wherever a script can tell. Every relative link leads to a file and a heading. Every
# file whose name a page shows in code type exists. The program's --help knows every subcommand and flag that a page
# names.
#   cmake -DROOT=.. -DSOTTO=.. -DLAB=.. -P docs_test.cmake
cmake_minimum_required(VERSION 3.22)
set(faults "")
file(GLOB pages RELATIVE ${ROOT} ${ROOT}/*.md ${ROOT}/docs/*/*.md)
list(LENGTH pages count)
if(count LESS 25)
  message(FATAL_ERROR "only ${count} pages: the test looks in the wrong place")
endif()

file(READ ${ROOT}/README.md text)
string(REGEX MATCHALL "\n" lines "${text}")
list(LENGTH lines count)
if(count GREATER 150)
  string(APPEND faults "README.md has more than 150 lines: give the rest to its page\n")
endif()

# The text of a page without the characters that split or join CMake's lists; the characters ]( of a link become @LINK(.
function(read_page page result)
  file(READ ${ROOT}/${page} text)
  string(REPLACE "[](" " (" text "${text}")  # []( begins a lambda of C++ and no link
  string(REPLACE "](" "@LINK(" text "${text}")
  string(REGEX REPLACE "[][;\\]" " " text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Tells whether a page has the heading that a link's #anchor names. The anchor is the heading in lower case, with its
# words joined by -.
function(has_heading file anchor result)
  file(READ ${file} text)
  string(TOLOWER "\n${text}" text)
  string(REGEX REPLACE "[^a-z0-9 _#\n-]" "" text "${text}")
  string(REPLACE " " "-" text "${text}")
  string(REGEX MATCH "\n#+-${anchor}\n" heading "${text}")
  set(${result} "${heading}" PARENT_SCOPE)
endfunction()

# 1. Words that the programs know: known_commands sets the names of a program's subcommands and adds all help to
#    `known`.
set(known "")
function(help_of program result)
  execute_process(COMMAND ${program} ${ARGN} --help OUTPUT_VARIABLE help ERROR_VARIABLE help RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} ${ARGN} --help ends with ${status}: ${help}")
  endif()
  set(${result} "${help}" PARENT_SCOPE)
endfunction()

# Follows subcommands to any depth. A row of --help that starts with a lower-case word names a subcommand or an
# argument. The script recognises an argument by the help, which stays the same with and without the argument.
function(known_commands program words parent result)
  help_of(${program} help ${words})
  set(${result} "" PARENT_SCOPE)
  if(help STREQUAL parent)
    return()
  endif()
  set(whole "${help}")
  string(APPEND known "${help}")
  string(REGEX REPLACE "\nExamples:.*" "" help "${help}")
  string(REGEX MATCHALL "\n  ([a-z][a-z0-9]*) +[A-Z]" rows "${help}")
  set(names "")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "[a-z][a-z0-9]*" name "${row}")
    list(APPEND names ${name})
    known_commands(${program} "${words};${name}" "${whole}" ignored)
  endforeach()
  set(known "${known}" PARENT_SCOPE)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

known_commands(${SOTTO} "" "" subcommands)
known_commands(${LAB} "" "" lab_subcommands)
# Flags that belong to other programs, which the pages also call.
set(other_flags --write --skipped --rest --commits --preset --build --install --prefix --ci --list --quick --all --sanitizers --update --repeats
    --unix-socket --data-binary --silent --fail --retry --retry-delay --retry-all-errors --write-out --output
    --file --tag --detach --read-only --cap-drop --volume --from-file --now --kills --cflags --libs
    --bare-tree --system-site-packages --no-index)

foreach(page IN LISTS pages)
  read_page(${page} text)
  get_filename_component(folder ${ROOT}/${page} DIRECTORY)

  # 2. Links.
  string(REGEX MATCHALL "@LINK\\([^) ]+" links "${text}")
  foreach(link IN LISTS links)
    string(SUBSTRING "${link}" 6 -1 target)
    string(REGEX REPLACE "#.*" "" file "${target}")
    string(REGEX REPLACE ".*#" "" anchor "${target}")
    if(file STREQUAL "")
      get_filename_component(file ${page} NAME)
    endif()
    if(target MATCHES "^[a-z]+:")
      continue()
    elseif(NOT EXISTS ${folder}/${file})
      string(APPEND faults "${page}: the link to ${target} leads nowhere\n")
    elseif(target MATCHES "#")
      has_heading(${folder}/${file} ${anchor} heading)
      if(NOT heading)
        string(APPEND faults "${page}: ${file} has no heading for ${target}\n")
      endif()
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
