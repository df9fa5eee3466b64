/* The same, ordered. */
#define ORDERED
#include "libc_cxx_string_race.cpp"
