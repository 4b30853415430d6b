# Fails unless a shared library exports the functions that the C header declares, and nothing else.
#   cmake -DNM=nm -DLIBRARY=liblockstep.so -DHEADER=c_api.h -P exported_symbols.cmake
file(READ ${HEADER} header)
string(REGEX MATCHALL "LOCKSTEP_API [^;]*[ *]lockstep_[a-z_]+\\(" declarations "${header}")
list(TRANSFORM declarations REPLACE ".*[ *](lockstep_[a-z_]+)\\($" "\\1" OUTPUT_VARIABLE declared)

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE " .*" "" OUTPUT_VARIABLE exported)

list(SORT declared)
list(SORT exported)
list(LENGTH declared count)
if(count LESS 10)
  message(FATAL_ERROR "only these functions are read from ${HEADER}: ${declared}")
endif()
if(NOT declared STREQUAL exported)
  message(FATAL_ERROR "${LIBRARY} exports\n  ${exported}\nand ${HEADER} declares\n  ${declared}")
endif()
message("${count} functions: ${exported}")
