/* A byte behind the first difference, which nobody has compared. */
enum { CHANGED = 9 };

#include "names_compared.h"
