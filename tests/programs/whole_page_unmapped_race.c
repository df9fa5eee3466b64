/* A block that is a mapping of its own, and goes back to the kernel. */
enum { SIZE = 1 << 20 };

#include "whole_page_freed.h"
