/* Races as GitHub's workflow commands: annotations of the lines that race. */
#include <inttypes.h>

#include "report/headline.h"
#include "report/live_report.h"
#include "report/source_place.h"

/* What GitHub would take for its own: %, line ends, and in a property the two that separate them. */
static void put(FILE *out, const char *text, bool property)
{
    for (; *text != '\0'; text++) {
        bool special =
            *text == '%' || *text == '\r' || *text == '\n' || (property && (*text == ':' || *text == ','));
        fprintf(out, special ? "%%%02X" : "%c", (unsigned char)*text);
    }
}

static void put_other(FILE *out, const struct source_place *other)
{
    fputs("%0AThe earlier access: ", out);
    put(out, other->path, false);
    fprintf(out, ":%" PRIu32, other->line);
}

static void put_race(const struct live_report *r, const struct found_race *found, const char *directory,
                     FILE *out)
{
    struct pool pool = {0};
    struct source_place here, other;
    fprintf(out, "::%s ", r->precise ? "error" : "warning");
    if (source_place_of_stack(&found->race.current.stack, directory, &pool, &here)) {
        fputs("file=", out);
        put(out, here.path, true);
        fprintf(out, ",line=%" PRIu32 ",", here.line);
        if (here.column > 0)
            fprintf(out, "col=%" PRIu32 ",", here.column);
    }
    fputs(r->precise ? "title=Data race::" : "title=Possible data race::", out);
    put(out, live_race_headline(&found->race, r->precise, &pool), false);
    if (source_place_of_stack(&found->race.earlier.stack, directory, &pool, &other))
        put_other(out, &other);
    fputs("%0A", out);
    put(out, found->explain, false);
    const struct shape *shape = &found->race.shape;
    if (shape->name != NULL) {
        fputs("%0A", out);
        put(out, pool_format(&pool, "What usually fixes this (%s): %s", shape->name, shape->advice), false);
    }
    fputc('\n', out);
    pool_free(&pool);
}

void live_report_github(const struct live_report *r, const char *directory, FILE *out)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->race[i].known)
            put_race(r, &r->race[i], directory, out);
}
