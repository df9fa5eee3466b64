/* std::locale: copies share one set of facets, and who drops the last destroys those (counted.h), which may
 * be the program's. The classic locale, which all streams begin with, is never destroyed and is left alone.
 */
#include "runtime/intercept/counted.h"

struct locale {
    int *shared; /* begins with the number of its holders */
};

typedef void destroy_function(struct locale *locale);
typedef struct locale *assign_function(struct locale *locale, const struct locale *other);
typedef const struct locale *classic_function(void);

destroy_function pf_locale_destroy __asm__("_ZNSt6localeD1Ev");
destroy_function pf_locale_destroy_base __asm__("_ZNSt6localeD2Ev");
assign_function pf_locale_assign __asm__("_ZNSt6localeaSERKS_");

#define REAL_DESTROY REAL_CXX("_ZNSt6localeD1Ev", destroy_function)
#define REAL_ASSIGN  REAL_CXX("_ZNSt6localeaSERKS_", assign_function)

/* What the locale shares with others; NULL: nothing that is ever destroyed. */
static int *shared_by(const struct locale *locale)
{
    classic_function *classic = REAL_CXX("_ZNSt6locale7classicEv", classic_function);
    return classic != NULL && classic()->shared != locale->shared ? locale->shared : NULL;
}

static void let_go(struct thread *t, int *shared)
{
    if (counted_let_go(t, shared, 1))
        REAL_DESTROY(&(struct locale){shared});
}

INTERCEPT_WEAK void pf_locale_destroy(struct locale *locale)
{
    struct thread *t = caller();
    int *shared = t != NULL ? shared_by(locale) : NULL;
    bool held = shared != NULL && counted_hold(t, shared, 1);
    REAL_DESTROY(locale);
    if (held)
        let_go(t, shared);
}

INTERCEPT_WEAK void pf_locale_destroy_base(struct locale *locale)
{
    pf_locale_destroy(locale);
}

INTERCEPT_WEAK struct locale *pf_locale_assign(struct locale *locale, const struct locale *other)
{
    struct thread *t = caller();
    int *shared = t != NULL ? shared_by(locale) : NULL;
    bool held = shared != NULL && counted_hold(t, shared, 1);
    REAL_ASSIGN(locale, other);
    if (held)
        let_go(t, shared);
    return locale;
}
