/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst doctor: what this machine lets LKST record, and what not, in a report without names. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/handler.h"
#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "base/version.h"
#include "cmd/doctor/events.h"
#include "cmd/doctor/facts.h"
#include "cmd/doctor/kernel_facts.h"
#include "cmd/doctor/machine_facts.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/version.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/turn.h"
#include "live/hooks/pins.h"
#include "live/recording/trial.h"
#include "print/account_text.h"
#include "trace/format/metadata_layout.h"

struct doctor_options {
	unsigned int format; /* enum lkst_account_format: it is told as an account is */
};

static const struct lkst_option rows[] = {
	LKST_OPTION(CHOICE, struct doctor_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "how to print it",
		    .choices = lkst_account_format_choices),
	{},
};

struct doctor {
	struct lkst_facts facts;
	struct lkst_trial trial;
	struct lkst_catalog *catalog; /* of all events */
	bool is_looked_at;	      /* the kernel's types were found */
	bool is_recording;	      /* a recording runs */
	int err; /* 0, or LKST cannot record here, for the reason in `why_not` */
	struct lkst_err why_not;
	u64 took_ns;
};

static void free_doctor(struct doctor **d)
{
	if (!*d)
		return;
	lkst_trial_fini(&(*d)->trial);
	lkst_catalog_free((*d)->catalog);
	if ((*d)->facts.root >= 0)
		close((*d)->facts.root);
	free(*d);
}

/* ---- what is looked at ------------------------------------------------------------------------ */

static void add_lkst(struct lkst_facts *f)
{
	const char *left_out = lkst_version_left_out();

	f->section = "lkst";
	lkst_fact_text(f, "version", LKST_VERSION);
	lkst_fact_number(f, "memory_layout", LKST_ABI_VERSION);
	lkst_fact_number(f, "handlers", LKST_HANDLER_VERSION);
	lkst_fact_number(f, "trace_format", LKST_CTF_FORMAT);
	lkst_fact_text(f, "built_without", "%s", left_out[0] ? left_out : "nothing");
}

static void add_facts(struct lkst_facts *f)
{
	add_lkst(f);
	lkst_facts_add_kernel(f);
	lkst_facts_add_privileges(f);
	lkst_facts_add_security(f);
	lkst_facts_add_files(f);
	lkst_facts_add_crash(f);
	lkst_facts_add_counters(f);
	lkst_facts_add_clock(f);
	lkst_facts_add_memory(f);
}

/* Tries to record, beside what is recorded already. */
static int try_to_record(struct doctor *d, const struct lkst_plan *plan)
{
	_cleanup_(lkst_session_closep) struct lkst_session *running = NULL;
	struct lkst_err why = {};
	int err;

	if (!lkst_pins_exist())
		return lkst_trial_make(&d->why_not, plan, &d->trial);
	err = lkst_session_open(&why, &running);
	/* What an interrupted start or stop has left is no recording; `lkst start` clears it. */
	if (err == -ENOENT || err == -EIO)
		return lkst_trial_make(&d->why_not, plan, &d->trial);
	d->is_recording = true;
	return lkst_trial_make_beside(&d->why_not, plan, running, &d->trial);
}

/* In a turn of its own: no recording begins or ends meanwhile. */
static int look_at_events(struct doctor *d)
{
	struct lkst_plan *plan = NULL;
	struct lkst_turn turn = { .lock = -1 };
	int err = lkst_trial_plan(&d->why_not, getenv(LKST_BTF_VARIABLE), &plan);

	if (err)
		return err;
	d->is_looked_at = true;
	lkst_trial_look(plan, &d->trial);
	err = lkst_turn_take(&d->why_not, LKST_TURN_LOOK, &turn);
	if (!err)
		err = try_to_record(d, plan);
	lkst_turn_give(&turn);
	lkst_plan_free(plan);
	return err;
}

/* Looks at all. What LKST cannot do is no failure of this. */
static int examine(struct lkst_err *e, struct doctor *d)
{
	const u64 from_ns = lkst_monotonic_ns();
	int err = lkst_doctor_catalog(e, &d->catalog);

	if (err)
		return err;
	d->facts.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (d->facts.root < 0)
		return lkst_err_sys(e, -errno, "opening /");
	add_facts(&d->facts);
	d->err = look_at_events(d);
	if (d->err && !d->why_not.text[0])
		lkst_err_sys(&d->why_not, d->err, "trying to record");
	d->took_ns = lkst_monotonic_ns() - from_ns;
	return 0;
}

static bool can_record(const struct doctor *d)
{
	return !d->err;
}

/* ---- what is said ----------------------------------------------------------------------------- */

static void doctor_print_verdict(const struct doctor *d, struct lkst_out *out)
{
	const struct lkst_trial_event *of_switches = &d->trial.events[LKST_EV_sched_switch];

	if (can_record(d))
		lkst_out_str(out, "LKST can record here.\n");
	else
		lkst_out_message(out, "LKST cannot record here: %s.", d->why_not.text);
	if (d->is_looked_at && of_switches->why[0])
		lkst_out_message(
			out,
			"Little of a trace would be of use, for nothing tells when a thread runs: %s.",
			of_switches->why);
	if (d->is_recording)
		lkst_out_str(
			out,
			"A recording runs, which was not disturbed: programs were loaded and not attached.\n");
	if (lkst_facts_nr_lacks(&d->facts))
		lkst_out_str(out, "After a ! is what it cannot do because something is missing.\n");
}

static void print_notes(const struct doctor *d, struct lkst_out *out)
{
	unsigned int i;

	if (d->trial.notes.nr)
		lkst_out_str(out, "\nwhat `lkst start` would say\n");
	for (i = 0; i < d->trial.notes.nr; i++) {
		lkst_out_str(out, "  ");
		lkst_facts_wrap(out, 2, d->trial.notes.text[i]);
	}
}

static void doctor_print_text(const struct doctor *d, struct lkst_out *out)
{
	char took[LKST_DURATION_TEXT];

	doctor_print_verdict(d, out);
	lkst_facts_print(&d->facts, out);
	if (d->is_looked_at)
		lkst_doctor_print_events(&d->trial, d->catalog, out);
	print_notes(d, out);
	lkst_duration_format(d->took_ns, took);
	lkst_out_printf(out, "\nThis took %s, and nothing of it is left.\n", took);
}

static void put_json(const struct doctor *d, struct lkst_json *j)
{
	unsigned int i;

	lkst_json_object(j, NULL);
	lkst_json_bool(j, "can_record", can_record(d));
	if (can_record(d))
		lkst_json_null(j, "why_not");
	else
		lkst_json_str(j, "why_not", d->why_not.text);
	lkst_json_bool(j, "is_recording", d->is_recording);
	lkst_facts_put(&d->facts, j);
	if (d->is_looked_at)
		lkst_doctor_put_events(&d->trial, d->catalog, j);
	lkst_json_array(j, "notes");
	for (i = 0; i < d->trial.notes.nr; i++)
		lkst_json_str(j, NULL, d->trial.notes.text[i]);
	lkst_json_end(j);
	lkst_json_u64(j, "took_ms", d->took_ns / 1000000);
	lkst_json_end(j);
}

static int doctor_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct doctor_options *o = options;
	_cleanup_(free_doctor) struct doctor *d = calloc(1, sizeof(*d));
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_json j;
	int err;

	if (!d || !out)
		return lkst_err_sys(e, -ENOMEM, "looking at this machine");
	d->facts.root = -1;
	err = examine(e, d);
	if (err)
		return err;
	lkst_out_init_stream(out, stdout);
	lkst_json_init(&j, out);
	if (o->format == LKST_ACCOUNT_AS_JSON)
		put_json(d, &j);
	else
		doctor_print_text(d, out);
	err = lkst_out_flush(out);
	return err ? lkst_err_sys(e, err, "printing") : !can_record(d);
}

const struct lkst_cmd lkst_cmd_doctor = {
	.name = "doctor",
	.summary = "show what LKST can record here, and why not the rest",
	.help = "Says whether LKST can record on this machine: which events the kernel lets it have and\n"
		"what each costs here, and what is missing, with what LKST cannot do then. It finds out by\n"
		"trying: the programs are loaded and attached as `lkst start` does, for about a second, and\n"
		"nothing is recorded or left. Beside a recording that runs they are only loaded. Without root\n"
		"it says what it could not look at. The report has no names of hosts, users or programs, and\n"
		"is made to be pasted into a report of a bug. The exit status is 0 if LKST can record here, and\n"
		"1 if not.",
	.examples = "  lkst doctor                  the report\n"
		    "  lkst doctor --format json    the same for programs\n",
	.options = rows,
	.options_size = sizeof(struct doctor_options),
	.run = doctor_run,
};
