#include "commands.h"

#include "phyxel/suggest.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void help(const Command *command)
{
    printf("phyxel %s: %s\n\nusage: phyxel %s%s%s\n", command->name, command->summary,
           command->name, command->usage[0] != '\0' ? " " : "", command->usage);
    if (command->details != NULL)
        printf("\n%s\n", command->details);
    printf("\noptions:\n");
    for (size_t k = 0; k < command->option_count; ++k) {
        const Option *o = &command->options[k];
        char left[64];
        if (o->letter != 0)
            snprintf(left, sizeof left, "-%c, --%s %s", o->letter, o->name,
                     o->value != NULL ? o->value : "");
        else
            snprintf(left, sizeof left, "    --%s %s", o->name, o->value != NULL ? o->value : "");
        printf("  %-28s %s\n", left, o->help);
    }
    printf("  %-28s %s\n", "-h, --help", "this text");
}

static int wrong(const Command *command, const char *text, const char *what)
{
    fprintf(stderr, "phyxel %s: %s%s\nusage: phyxel %s%s%s\n", command->name, text_safe(text),
            text_safe(what), command->name, command->usage[0] != '\0' ? " " : "", command->usage);
    return OPTIONS_WRONG;
}

static const Option *find(const Command *command, const char *word, const char **value)
{
    *value = NULL;
    for (size_t k = 0; k < command->option_count; ++k) {
        const Option *o = &command->options[k];
        if (word[1] != '-') {
            if (o->letter != 0 && word[1] == o->letter) {
                *value = word[2] != '\0' ? word + 2 : NULL;
                return o;
            }
            continue;
        }
        size_t length = strlen(o->name);
        if (strncmp(word + 2, o->name, length) != 0)
            continue;
        if (word[2 + length] == '=')
            *value = word + 3 + length;
        if (word[2 + length] == '=' || word[2 + length] == '\0')
            return o;
    }
    return NULL;
}

static int unknown(const Command *command, const char *word)
{
    const char *names[OPTION_MOST + 1];
    for (size_t k = 0; k < command->option_count; ++k)
        names[k] = command->options[k].name;
    names[command->option_count] = "help";
    const char *near =
        word[1] == '-' ? px_suggest(word + 2, names, command->option_count + 1) : NULL;
    char text[256];
    snprintf(text, sizeof text, "unknown option '%.60s'%s%s%s", word,
             near != NULL ? ", did you mean --" : "", near != NULL ? near : "",
             near != NULL ? "?" : "");
    return wrong(command, text, "");
}

static int take(const Command *command, const Option *o, const char *value)
{
    char text[256];
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->target = true;
        return OPTIONS_READ;
    case OPTION_TEXT:
        *(const char **)o->target = value;
        return OPTIONS_READ;
    case OPTION_LIST: {
        OptionList *list = o->target;
        if (list->count == OPTION_MOST)
            return wrong(command, "too many --", o->name);
        list->item[list->count++] = value;
        return OPTIONS_READ;
    }
    case OPTION_NUMBER:
    case OPTION_SIGNED: {
        bool is_signed = o->kind == OPTION_SIGNED;
        char *end;
        double number = strtod(value, &end);
        if (end == value || *end != '\0' || !(fabs(number) <= DBL_MAX) ||
            !(number > 0 || is_signed)) {
            snprintf(text, sizeof text, "--%s wants a %snumber, got '%.60s'", o->name,
                     is_signed ? "" : "positive ", value);
            return wrong(command, text, "");
        }
        *(double *)o->target = number;
        return OPTIONS_READ;
    }
    case OPTION_COUNT: {
        char *end;
        errno = 0;
        int most = o->most > 0 ? o->most : INT_MAX;
        long number = strtol(value, &end, 10);
        if (end == value || *end != '\0' || errno != 0 || number < 0 || number > most) {
            snprintf(text, sizeof text, "--%s wants a whole number from 0 to %d, got '%.60s'",
                     o->name, most, value);
            return wrong(command, text, "");
        }
        *(int *)o->target = (int)number;
        return OPTIONS_READ;
    }
    }
    return OPTIONS_WRONG;
}

OptionResult options_read(const Command *command, int argc, char **argv, const char **rest,
                          size_t least, size_t most, size_t *rest_count)
{
    size_t count = 0;
    bool only_rest = false;
    for (int k = 0; k < argc; ++k) {
        const char *word = argv[k], *value;
        if (!only_rest && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            help(command);
            return OPTIONS_HELP_SHOWN;
        }
        if (!only_rest && strcmp(word, "--") == 0) {
            only_rest = true;
            continue;
        }
        if (only_rest || word[0] != '-' || word[1] == '\0') {
            if (count == most)
                return wrong(command, "one word too many: ", word);
            rest[count++] = word;
            continue;
        }
        const Option *o = find(command, word, &value);
        if (o == NULL)
            return unknown(command, word);
        if (o->kind == OPTION_FLAG && value != NULL)
            return wrong(command, "this option takes no value: ", word);
        if (o->kind != OPTION_FLAG && value == NULL) {
            if (k + 1 == argc)
                return wrong(command, "a value is missing after ", word);
            value = argv[++k];
        }
        OptionResult result = take(command, o, value);
        if (result != OPTIONS_READ)
            return result;
    }
    if (count < least) {
        char missing[64]; /* the first word of the usage */
        snprintf(missing, sizeof missing, "%.*s", (int)strcspn(command->usage, " "),
                 command->usage);
        return wrong(command, missing, " is missing");
    }
    if (rest_count != NULL)
        *rest_count = count;
    return OPTIONS_READ;
}
