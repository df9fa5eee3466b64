/* A byte that both have compared. */
enum { CHANGED = 8 };

#include "names_compared.h"
