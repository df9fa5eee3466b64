/* Whole pages of the heap. */
enum { SIZE = 100000 };

#include "whole_page_freed.h"
