/* Checks a SARIF file for what code hosts refuse it for. Prints each fault; exit status 1 if there was one.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int faults;

static void check(int good, const char *where, const char *what)
{
    if (good)
        return;
    printf("%s: %s\n", where, what);
    faults++;
}

static const char *text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

static void check_message(const json_t *message, const char *where)
{
    check(text(message, "text")[0] != '\0', where, "no message.text");
}

static void check_location(const json_t *location, const char *where)
{
    const json_t *physical = json_object_get(location, "physicalLocation");
    const json_t *artifact = json_object_get(physical, "artifactLocation"),
                 *region = json_object_get(physical, "region");
    const char *uri = text(artifact, "uri");
    check(uri[0] != '\0', where, "no artifactLocation.uri");
    check(uri[0] != '/' && strchr(uri, ':') == NULL && strncmp(uri, "../", 3) != 0 &&
              strstr(uri, "/../") == NULL,
          where, "the uri is not relative to the root");
    check(strpbrk(uri, " \\\"<>^`{|}") == NULL, where, "the uri is not encoded");
    check(strcmp(text(artifact, "uriBaseId"), "%SRCROOT%") == 0, where, "uriBaseId");
    check(json_integer_value(json_object_get(region, "startLine")) >= 1, where,
          "no region.startLine of 1 or more");
    const json_t *column = json_object_get(region, "startColumn");
    check(column == NULL || json_integer_value(column) >= 1, where, "region.startColumn below 1");
}

static void check_locations(const json_t *list, const char *where, int with_ids)
{
    size_t i;
    const json_t *location;
    check(json_array_size(list) > 0, where, "empty");
    json_array_foreach(list, i, location)
    {
        check_location(location, where);
        check(!with_ids || json_integer_value(json_object_get(location, "id")) == (json_int_t)i + 1, where,
              "ids");
    }
}

static void check_flows(const json_t *result)
{
    size_t i, k;
    const json_t *flow, *step;
    const json_t *flows =
        json_object_get(json_array_get(json_object_get(result, "codeFlows"), 0), "threadFlows");
    check(json_array_size(flows) == 2, "codeFlows", "not two threadFlows");
    json_array_foreach(flows, i, flow)
    {
        const json_t *steps = json_object_get(flow, "locations");
        check(json_array_size(steps) > 0, "threadFlows", "no locations");
        json_array_foreach(steps, k, step) check_location(json_object_get(step, "location"), "threadFlows");
    }
}

static int is_level(const char *level)
{
    return strcmp(level, "error") == 0 || strcmp(level, "warning") == 0;
}

static void check_result(const json_t *result, const json_t *rules)
{
    const json_t *index = json_object_get(result, "ruleIndex");
    const json_t *rule = json_array_get(rules, (size_t)json_integer_value(index));
    check(json_is_integer(index) && rule != NULL, "ruleIndex", "not one of the rules");
    check(strcmp(text(result, "ruleId"), text(rule, "id")) == 0, "ruleId", "not the rule at ruleIndex");
    check(is_level(text(result, "level")), "result", "level");
    check_message(json_object_get(result, "message"), "result");
    check_locations(json_object_get(result, "locations"), "locations", 0);
    check(json_array_size(json_object_get(result, "locations")) == 1, "locations", "not one");
    check_locations(json_object_get(result, "relatedLocations"), "relatedLocations", 1);
    check_flows(result);
    const json_t *prints = json_object_get(result, "partialFingerprints");
    check(strlen(text(prints, "photofinishRace/v1")) == 16, "partialFingerprints", "ours is missing");
    check(strlen(text(prints, "primaryLocationLineHash")) == 18, "partialFingerprints",
          "primaryLocationLineHash");
}

static void check_rule(const json_t *rule)
{
    check(text(rule, "id")[0] != '\0', "rule", "no id");
    check(text(json_object_get(rule, "shortDescription"), "text")[0] != '\0', "rule", "shortDescription");
    check(text(json_object_get(rule, "fullDescription"), "text")[0] != '\0', "rule", "fullDescription");
    check(text(json_object_get(rule, "help"), "text")[0] != '\0', "rule", "help");
    check(is_level(text(json_object_get(rule, "defaultConfiguration"), "level")), "rule", "level");
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *root = json_load_file(argc == 2 ? argv[1] : "", JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        printf("%s:%d: %s\n", argc == 2 ? argv[1] : "", error.line, error.text);
        return 2;
    }
    size_t i;
    const json_t *one, *runs = json_object_get(root, "runs"), *run = json_array_get(runs, 0);
    const json_t *driver = json_object_get(json_object_get(run, "tool"), "driver"),
                 *rules = json_object_get(driver, "rules");
    check(strcmp(text(root, "version"), "2.1.0") == 0, "file", "version");
    check(strstr(text(root, "$schema"), "sarif-2.1.0") != NULL, "file", "$schema");
    check(json_array_size(runs) == 1, "file", "runs");
    check(text(driver, "name")[0] != '\0', "driver", "no name");
    check(json_array_size(rules) > 0, "driver", "no rules");
    check(json_is_array(json_object_get(run, "results")), "run", "no results");
    const char *root_uri =
        text(json_object_get(json_object_get(run, "originalUriBaseIds"), "%SRCROOT%"), "uri");
    check(strncmp(root_uri, "file:///", 8) == 0 && root_uri[strlen(root_uri) - 1] == '/',
          "originalUriBaseIds", "%SRCROOT%");
    json_array_foreach(rules, i, one) check_rule(one);
    json_array_foreach(json_object_get(run, "results"), i, one) check_result(one, rules);
    json_decref(root);
    return faults > 0;
}
