#include "base/nearest.h"

enum { LONGEST = 40, FAR = LONGEST };

static size_t least(size_t a, size_t b, size_t c)
{
    return min_size(min_size(a, b), c);
}

/* How many letters must be changed, put in, left out, or exchanged with their neighbour, to make one of the other:
 * row by row, of which the last three are kept. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    if (a_length > LONGEST || b_length > LONGEST)
        return FAR;
    for (size_t i = 0; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_size(row[j], second[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void nearest_consider(struct nearest *n, const char *name)
{
    size_t length = 0, same = 0;
    while (name[length] != '\0')
        length++;
    while (same < length && same < n->length && name[same] == n->wanted[same])
        same++;
    bool beginning = same == n->length && (n->length >= 4 || (n->length == 3 && length <= 6));
    size_t far = distance(n->wanted, n->length, name, length),
           longer = length > n->length ? length : n->length;
    if ((!beginning && (far == FAR || far * 3 > longer)) || (n->name != NULL && far >= n->distance))
        return;
    n->name = name;
    n->distance = far;
}
