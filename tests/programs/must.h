/* For what must not fail. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define must(condition) ((condition) ? (void)0 : (perror(#condition), abort()))
