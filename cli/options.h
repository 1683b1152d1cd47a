/// Parser of command-line arguments: options by a table, positional arguments in order.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum OptionKind {
    OPTION_FLAG,   ///< bool: --resume
    OPTION_COUNT,  ///< int, at least 0: --threads 2
    OPTION_NUMBER, ///< double above 0: --seconds 0.5
    OPTION_SIGNED, ///< double: --exposure -1
    OPTION_TEXT,   ///< const char *: -o DIR
    OPTION_LIST,   ///< OptionList: --set A=1 --set B=2
} OptionKind;

enum { OPTION_MOST = 64 };

typedef struct OptionList {
    const char *item[OPTION_MOST];
    size_t count;
} OptionList;

typedef struct Option {
    const char *name; ///< without the dashes
    char letter;      ///< 0 for none
    OptionKind kind;
    void *target;
    const char *value; ///< name of the value in the help
    const char *help;
    int most; ///< of a count; 0: any
} Option;

typedef struct Command {
    const char *name;
    const char *usage;   ///< arguments, as shown after the name
    const char *summary; ///< one line
    const char *details; ///< a paragraph, or NULL
    const Option *options;
    size_t option_count;
} Command;

/// Result of parsing: continue, or leave with a status.
typedef enum OptionResult { OPTIONS_READ, OPTIONS_HELP_SHOWN, OPTIONS_WRONG } OptionResult;

/// Parses argv after the command's name. Positional arguments go to `rest` (at least
/// `least`, at most `most` of them). --help prints to stdout. Errors are printed to
/// stderr with a suggestion.
OptionResult options_read(const Command *command, int argc, char **argv, const char **rest,
                          size_t least, size_t most, size_t *rest_count);

#endif
