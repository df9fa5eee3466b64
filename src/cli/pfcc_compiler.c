#include "cli/pfcc_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_launcher(const char *path)
{
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc", "icerun"};
    for (size_t i = 0; i < array_length(names); i++)
        if (strcmp(base_name(path), names[i]) == 0)
            return true;
    return false;
}

/* --- words --- */

/* A value that is a file has one word, even if there is a blank in it. */
static void split(struct compiler *c, const char *value)
{
    char *text = strdup(value), *state, *word;
    c->word = calloc(strlen(value) / 2 + 2, sizeof *c->word);
    if (text == NULL || c->word == NULL)
        abort();
    if (strchr(value, '/') != NULL && access(value, X_OK) == 0) {
        c->word[c->count++] = text;
        return;
    }
    for (word = strtok_r(text, " \t\n", &state); word != NULL; word = strtok_r(NULL, " \t\n", &state))
        c->word[c->count++] = word;
    while (c->at + 1 < c->count && is_launcher(c->word[c->at]))
        c->at++;
    c->launched = c->at > 0;
}

char *compiler_cxx_of(const char *compiler)
{
    static const char *const names[][2] = {{"clang", "clang++"}, {"gcc", "g++"}, {"cc", "c++"}};
    const char *base = base_name(compiler);
    for (size_t i = 0; i < array_length(names); i++) {
        const char *found = strstr(base, names[i][0]);
        if (found == NULL || strncmp(found, names[i][1], strlen(names[i][1])) == 0)
            continue;
        char *whole;
        if (asprintf(&whole, "%.*s%s%s", (int)(found - compiler), compiler, names[i][1],
                     found + strlen(names[i][0])) < 0)
            abort();
        return whole;
    }
    return NULL;
}

static bool is_blank(const char *text)
{
    return text == NULL || text[strspn(text, " \t\n")] == '\0';
}

static void choose_words(struct compiler *c, bool cxx)
{
    const char *cc = getenv("PF_CC"), *own = cxx ? getenv("PF_CXX") : cc;
    if (!is_blank(own)) {
        split(c, own);
        return;
    }
    split(c, cxx && is_blank(cc) ? "g++" : is_blank(cc) ? "gcc" : cc);
    if (!cxx || is_blank(cc))
        return;
    char *derived = compiler_cxx_of(compiler_name(c));
    c->word[c->at] = derived != NULL ? derived : strdup("g++");
}

/* --- the file --- */

/* The next file along PATH that has this name and is no launcher: /usr/lib/ccache/gcc is ccache. */
static void find_along_path(struct compiler *c, const char *name)
{
    char path[PATH_BYTES];
    const char *at = getenv("PATH");
    for (; at != NULL && *at != '\0'; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(path, X_OK) != 0 || realpath(path, c->real) == NULL)
            continue;
        if (!is_launcher(c->real))
            return;
        c->launched = true;
    }
    *c->real = '\0';
}

static void find_file(struct compiler *c)
{
    const char *name = compiler_name(c);
    if (strchr(name, '/') == NULL) {
        find_along_path(c, name);
    } else if (realpath(name, c->real) == NULL) {
        *c->real = '\0';
    } else if (is_launcher(c->real)) {
        c->launched = true;
        find_along_path(c, base_name(name));
    }
}

void compiler_choose(struct compiler *c, bool cxx)
{
    *c = (struct compiler){.at = 0};
    choose_words(c, cxx);
    find_file(c);
    c->clang = strstr(base_name(compiler_name(c)), "clang") != NULL;
}

/* --- caches --- */

/* FNV-1a. */
static void mix(uint64_t *number, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *number = (*number ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void mix_file(uint64_t *number, const char *path)
{
    struct stat st = {.st_size = 0};
    bool there = stat(path, &st) == 0;
    const int64_t about[] = {there, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    mix(number, path, strlen(path) + 1);
    mix(number, about, sizeof about);
}

uint64_t compiler_identity(const struct compiler *c, const char *const *files)
{
    uint64_t number = UINT64_C(0xcbf29ce484222325);
    mix(&number, PF_VERSION, sizeof PF_VERSION);
    for (int i = 0; i < c->count; i++)
        mix(&number, c->word[i], strlen(c->word[i]) + 1);
    mix_file(&number, c->real);
    for (; *files != NULL; files++)
        mix_file(&number, *files);
    return number;
}

bool compiler_in_depend_mode(void)
{
    char path[64], program[PATH_BYTES], command[PATH_BYTES + 64], answer[16] = "";
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)getppid());
    ssize_t length = readlink(path, program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    if (strcmp(base_name(program), "ccache") != 0 || strchr(program, '\'') != NULL)
        return false;
    snprintf(command, sizeof command, "'%s' --get-config=depend_mode 2>/dev/null", program);
    FILE *out = popen(command, "re");
    if (out == NULL)
        return false;
    bool told = fgets(answer, sizeof answer, out) != NULL;
    pclose(out);
    return told && strcmp(answer, "true\n") == 0;
}
