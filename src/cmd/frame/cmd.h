/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command is one file, and one constant of this type says everything about it: dispatch, help
 * and option parsing read the same entry. cmd/frame/commands.def lists them, and says how to add one.
 */
#ifndef LKST_CMD_FRAME_CMD_H
#define LKST_CMD_FRAME_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "abi/types.h"
#include "base/err.h"
#include "base/choice.h"

enum lkst_option_type {
	LKST_OPTION_FLAG,     /* bool */
	LKST_OPTION_TEXT,     /* const char * */
	LKST_OPTION_LIST,     /* struct lkst_list: may be given several times */
	LKST_OPTION_SIZE,     /* u64, bytes: 64K, 4M, 1G */
	LKST_OPTION_DURATION, /* u64, ns: 5s, 200ms */
	LKST_OPTION_NUMBER,   /* s64 */
	LKST_OPTION_SHARE,    /* u64, millionths: 1%, 0.25%; none: 0 */
	LKST_OPTION_CHOICE,   /* unsigned int: the number of one of `choices` */
	LKST_OPTION_CONFIG,   /* const char *: a file of further options; at most one per command */
};

enum {
	LKST_LIST_MAX = 64,   /* values of an option that may be given several times */
	LKST_ARGS_MAX = 1024, /* arguments of commands that take any number: traces, globs ... */
};

struct lkst_list {
	char *items[LKST_LIST_MAX];
	unsigned int nr;
};

/* A row per option: name, type, where its value goes, limits, default as shown, help. */
struct lkst_option {
	const char *name; /* long, without dashes */
	char letter;	  /* short, 0: none */
	enum lkst_option_type type;
	const char *argument; /* its placeholder, NULL for a flag */
	size_t offset;	      /* of the value in the command's options */
	s64 min, max;	      /* of a number, size or duration; 0, 0: any */
	const char *standard; /* the default, for the help; NULL: none */
	const char *help;
	lkst_choices_fn *choices; /* of a choice; they are listed after the help */
	/* Of a choice: a sentence on what to ask for in place of @word, which is none of them; NULL: there is none. */
	const char *(*advice)(const char *word);
	/* Of a text that may be left out: whether the word that follows is one; if not, it is "". NULL: it is one. */
	bool (*is_value)(const char *word);
};

/* The C type of each option's value. */
typedef bool lkst_value_FLAG;
typedef const char *lkst_value_TEXT, *lkst_value_CONFIG;
typedef struct lkst_list lkst_value_LIST;
typedef u64 lkst_value_SIZE, lkst_value_DURATION, lkst_value_SHARE;
typedef s64 lkst_value_NUMBER;
typedef unsigned int lkst_value_CHOICE;

/*
 * The row of an option of type LKST_OPTION_@kind whose value goes to @member of @options, a struct. The other fields
 * follow by their names: .name = "tid", .letter = 't' ...
 */
#define LKST_OPTION(kind, options, member, ...)                                                    \
	{                                                                                          \
		.type = LKST_OPTION_##kind,                                                        \
		.offset = offsetof(options, member) +                                              \
			  0 * sizeof(struct {                                                      \
				  _Static_assert(__builtin_types_compatible_p(                     \
							 __typeof__(((options *)0)->member),       \
							 lkst_value_##kind),                       \
						 "the value has the option's type");               \
				  int unused;                                                      \
			  }),                                                                      \
		__VA_ARGS__                                                                        \
	}

struct lkst_verb;

struct lkst_cmd {
	const char *name;
	const char *summary; /* one line, for `lkst help` */
	const char *
		args; /* what follows the options, as the usage shows it; NULL: nothing, or a verb */
	const char
		*usage; /* all that follows the name; NULL: it is made of options, args and verbs */
	bool is_link;	/* a command of the original, with its own name */
	const char *help;		   /* paragraphs between the usage and the options */
	const char *examples;		   /* indented lines, NULL: none */
	void (*print_more)(void);	   /* prints paragraphs after `help`; NULL: none */
	const struct lkst_option *options; /* ends with a row without name */
	size_t options_size;		   /* of the struct that the rows' offsets are in */
	const void *defaults;		   /* that struct's initial value, NULL: zeroes */
	const struct lkst_verb
		*verbs; /* what the first argument may be (cmd/recorders/verbs.h); NULL: anything */
	lkst_choices_fn
		*first; /* words for the first argument, which shells complete; NULL: none */
	const char *dashed; /* what begins a word that is no option, though it begins with "-"; NULL: nothing does */
	unsigned int min_args, max_args;
	/* @args: what is left after the options. Returns 0 or a negative errno with @e set. */
	int (*run)(struct lkst_err *e, const void *options, char **args, unsigned int nr_args);
};

/* A command's options as they were parsed; lists and text point into the arguments, or into `config`. */
struct lkst_options {
	void *values; /* the command's struct */
	char *config; /* the file of option LKST_OPTION_CONFIG, NULL: none */
};

/*
 * Parses @argv (without the command's own name) by @cmd's rows. Returns the index of the first argument that is no
 * option, -EINVAL with @e set, or 1 << 16 if help was asked for; lkst_options_fini() frees @ret_options in any case.
 *
 * An option of type LKST_OPTION_CONFIG names a file (cmd/frame/conf.h) whose keys are the command's other
 * long options. Those on the command line override it, wherever they are; a list gets both.
 */
int lkst_options_parse(struct lkst_err *e, const struct lkst_cmd *cmd, int argc, char **argv,
		       struct lkst_options *ret_options);
void lkst_options_fini(struct lkst_options *o);
enum { LKST_OPTIONS_HELP = 1 << 16 };

/*
 * Runs @cmd with the words @argv, without its own name: parses them, and prints what went wrong, to which @explain, if
 * not NULL, may add. Returns the exit status.
 */
int lkst_cmd_main(const struct lkst_cmd *cmd, int argc, char **argv,
		  void (*explain)(struct lkst_err *e, int err));

/* Prints what went wrong and, if it is in a line of the user's, that line with a mark under the place. */
void lkst_cmd_print_error(const struct lkst_cmd *cmd, const struct lkst_err *e, int err);

/* What --help prints, and the usage, which is its first part. */
void lkst_cmd_print_help(const struct lkst_cmd *cmd);
void lkst_cmd_print_usage(FILE *to, const struct lkst_cmd *cmd);

/* A row of the help: @left in a column of @width, and beside it the words of @text, on as many lines as they need. */
void lkst_cmd_print_row(const char *left, int width, const char *text);

/* What a user types before its options: "lkst NAME", or its own name. */
enum { LKST_CMD_CALLED_MAX = 64 };
const char *lkst_cmd_called(const struct lkst_cmd *cmd, char called[LKST_CMD_CALLED_MAX]);

/*
 * The rows of --from and --to of a command whose options are a struct @type with the members `from` and `to`: @first
 * and @last say what the range is of.
 */
#define LKST_RANGE_ROWS(type, first, last)                                                         \
	LKST_OPTION(TEXT, type, from, .name = "from", .argument = "T",                             \
		    .help = first ": 12:14:05.5, @1234.5 monotonic seconds, "                      \
				  "+1.5s after the beginning, -2s before the end"),                \
		LKST_OPTION(TEXT, type, to, .name = "to", .argument = "T", .help = last)

/*
 * Reads --from and --to, each NULL if it was not given: then its value stays as it is. -EINVAL: one is not a time,
 * or they are the wrong way round.
 */
struct lkst_trace;
int lkst_cmd_parse_range(struct lkst_err *e, const struct lkst_trace *t, const char *from,
			 const char *to, u64 *from_ns, u64 *to_ns);

/*
 * Opens the trace that @args name, at least one: each is a trace or a file in it. Several must be parts
 * or snapshots of one recording, and are read as one; what they have in common is taken once.
 */
int lkst_cmd_open_trace(struct lkst_err *e, char **args, unsigned int nr_args,
			struct lkst_trace **ret_trace);

/*
 * What is made of @trace and not named, for the caller to free(): TRACE.EXTENSION, without slashes at the trace's end;
 * of the directory that one is in, beside it. NULL: the reason is in errno.
 */
char *lkst_cmd_output_of(const char *trace, const char *extension);

/* Says on stderr how trace @t, called @name, ends, if that is not where its recording ended. */
void lkst_cmd_tell_ending(const struct lkst_trace *t, const char *name);

/* Runs @cmd with the words of @argv, which NULL ends, as its options and arguments. */
int lkst_cmd_run(struct lkst_err *e, const struct lkst_cmd *cmd, const char *const *argv);

#define COMMAND(name) extern const struct lkst_cmd lkst_cmd_##name;
#define LINK COMMAND
#include "cmd/frame/commands.def"

#endif
