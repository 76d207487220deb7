# SPDX-License-Identifier: GPL-2.0-only
#
# Makes what agents of a few machines would have sent, as TabSeparated rows of the tables on a server, and beside them the
# same by itself: each duration. Both follow from numbers that are the same each time.
#
#	awk -v begin=SECOND -v seconds=N -v out=DIRECTORY -f fleet_rows.awk
#
# DIRECTORY gets second_rows, host_rows, incident_rows, and `durations`: host, boot, measure, second, ns.
# Machine "it's" is rebooted halfway, with another kernel.

function random()
{
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}

# The bucket of a duration, as doc/fleet.md describes it.
function bucket_of(ns,    shift)
{
	for (shift = 0; ns >= 64; shift++)
		ns = int(ns / 2)
	return shift * 32 + ns
}

function uuid(n)
{
	return sprintf("%08x-0000-4000-8000-%012x", 2703475456 + n, n)
}

function list(counts, nr, what,    i, text)
{
	for (i = 0; i < 2048; i++)
		if (i in counts)
			text = text (text == "" ? "" : ",") (what == "number" ? i : counts[i])
	return "[" text "]"
}

# A row of durations, which are longer on kernel 6.6 and longest on the last machine.
function put_durations(h, second, measure,    nr, i, ns, total, worst, counts)
{
	nr = 1 + int(random() * 8)
	for (i = 0; i < nr; i++) {
		ns = int(exp(random() * 17) * (1 + is_new[h]) * (h == 3 ? 2 : 1)) + 1
		printf "%s\t%s\t%s\t%d\t%d\n", host[h], boot[h], measure, second, ns >durations
		counts[bucket_of(ns)]++
		minute_counts[h, measure, bucket_of(ns)]++
		total += ns
		worst = ns > worst ? ns : worst
	}
	minute_n[h, measure] += nr
	minute_total[h, measure] += total
	if (worst > minute_worst[h, measure])
		minute_worst[h, measure] = worst
	# System calls by name come by the minute only.
	if (measure != "fsync")
		put_row(h, second, measure, nr, total, worst, "[]\t[]", list(counts, nr, "number") "\t" list(counts, nr, "count"))
	delete counts
}

# What came since the last one, as a row of a minute.
function put_minute(h,    m, i, counts)
{
	for (m = 1; m <= 7; m++) {
		delete counts
		for (i = 0; i < 2048; i++)
			if ((h, measures[m], i) in minute_counts) {
				counts[i] = minute_counts[h, measures[m], i]
				delete minute_counts[h, measures[m], i]
			}
		put_row(h, minute[h], measures[m] "_minute", minute_n[h, measures[m]], minute_total[h, measures[m]],
			minute_worst[h, measures[m]], "['seconds']\t[60]", list(counts, 0, "number") "\t" list(counts, 0, "count"))
		minute_n[h, measures[m]] = minute_total[h, measures[m]] = minute_worst[h, measures[m]] = 0
	}
	put_row(h, minute[h], "events_minute", minute_n[h, "events"], 0, 0,
		"['seconds','sched_switch','sched_waking']\t[" minute_seconds[h] "," minute_switches[h] "," minute_seconds[h] * 400 "]", "[]\t[]")
	put_row(h, minute[h], "cpu_minute", 2 * minute_seconds[h], 500000000 * (h + 1) / 2 * minute_seconds[h], 0,
		sprintf("['busy','seconds']\t[%.0f,%d]", 250000000 * (h + 1) * minute_seconds[h], minute_seconds[h]), "[]\t[]")
	minute_n[h, "events"] = minute_switches[h] = minute_seconds[h] = 0
}

function put_row(h, second, measure, n, total, worst, parts, buckets, cgroup)
{
	printf "%s\t%s\t%s\t%d\t%s\t%s\t%d\t%.0f\t%.0f\t%s\t%s\n", escaped[h], boot[h], trace[h], second, measure, cgroup, n, total, worst, parts,
		buckets >second_rows
}

function put_host(h, seen, kernel)
{
	printf "%s\t%s\t%s\t%d\t%s\t0.9\t%d\t['rack','role']\t['r%d','web']\n", escaped[h], uuid(900 + h), boot[h], seen, kernel, 2 + h,
		1 + h % 2 >host_rows
}

function put_incident(h, number, revision, second, event, reason, account, waits, bundle, bytes, moment, note)
{
	printf "%s\t%s\t%s\t%d\t%d\t%d000000007\t5000000007\t6.1.0\t0.9\t1\t%s\t77\tdd\t60000000\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n",
		escaped[h], boot[h], trace[h], number, revision, second, event, reason, account, waits, bundle, bytes, moment, note >incident_rows
}

BEGIN {
	seed = 4711
	second_rows = out "/second_rows"; host_rows = out "/host_rows"
	incident_rows = out "/incident_rows"; durations = out "/durations"
	nr = split("web1 web2 db1 it's", names, " ")
	for (h = 0; h < nr; h++) {
		host[h] = escaped[h] = names[h + 1]
		sub(/'/, "\\'", escaped[h])
		boot[h] = uuid(h)
		trace[h] = uuid(100 + h)
		put_host(h, begin, "6.1.0")
	}
	split("runqueue syscall disk irq softirq lock fsync", measures, " ")
	for (h = 0; h < nr; h++)
		minute[h] = begin
	for (s = 0; s < seconds; s++) {
		for (h = 0; h < nr; h++)
			if (s && ((begin + s) % 60 == 0 || (h == nr - 1 && s == int(seconds / 2)))) {
				put_minute(h)
				minute[h] = begin + s
			}
		if (s == int(seconds / 2)) {
			h = nr - 1
			boot[h] = uuid(50)
			trace[h] = uuid(150)
			is_new[h] = 1
			put_host(h, begin + s, "6.6.0")
		}
		for (h = 0; h < nr; h++) {
			for (m = 1; m <= 7; m++)
				put_durations(h, begin + s, measures[m])
			minute_seconds[h]++
			minute_n[h, "events"] += 1000 + h
			minute_switches[h] += 600 + h
			put_row(h, begin + s, "events", 1000 + h, 0, 0, "['sched_switch','sched_waking']\t[" 600 + h ",400]", "[]\t[]")
			put_row(h, begin + s, "cpu", 2, 500000000 * (h + 1) / 2, 0, "['busy']\t[" 250000000 * (h + 1) "]", "[]\t[]")
			# Of two cgroups as well, which the whole machine has in it.
			if (h == 0) {
				put_row(h, begin + s, "cpu", 2, 100000000, 0, "['busy']\t[100000000]", "[]\t[]", "/a")
				put_row(h, begin + s, "cpu", 2, 50000000, 0, "['busy']\t[50000000]", "[]\t[]", "/b")
				put_row(h, begin + s, "runqueue", 1, 77, 77, "[]\t[]", "[" bucket_of(77) "]\t[1]", "/a")
			}
			# For half of each second of one kind, and for less of another.
			if (h == 0)
				put_row(h, begin + s, "limited", 2, 700000000, 500000000, "['syscall:*','softirq']\t[500000000,200000000]",
					"[]\t[]")
			if (h == 1)
				put_row(h, begin + s, "lost", 3, 0, 0, "['full']\t[3]", "[]\t[]")
			# It says all that there was since it began.
			if (h == 2)
				put_row(h, begin + s, "ship", s, 0, 0, "[]\t[]", "[]\t[]")
		}
	}
	for (h = 0; h < nr; h++)
		put_minute(h)
	none = "[]\t[]\t[]\t[]\t[]\t[]"
	waits = "[77,78]\t['dd','dd']\t['fsync','read']\t[4900000000,4800000000]\t[60000000,2000000]\t['the disk took 58 ms','the lock\\'s owner slept']"
	# Each comes again, with more in it.
	put_incident(0, 3, 1, begin + 10, "block_rq_complete", "trigger 1", "", none, "", 0, "", "")
	heading = "## where the waiting went\\n"
	finding = "#1  dd waited in fsync() once, 60 ms:\\n    until disk vda was done\\n#2  it waited\\n## trigger\\n"
	put_incident(0, 3, 2, begin + 10, "block_rq_complete", "trigger 1",
		heading finding "dd waited 60 ms:\\n58 ms for disk vda", waits, store "/good", bytes, "", "")
	put_incident(1, 1, 1, begin + 20, "", "command",
		heading "Note: Nothing stands out.\\n## what has not ended\\n#1  it hangs\\n", none, store "/short", bytes + 1, "", "")
	put_incident(2, 1, 1, begin + 30, "sched_switch", "peer", "", none, store "/good", bytes, "m-1", "")
	put_incident(3, 9, 1, begin + 30, "sched_switch", "trigger 2", "", none, "", 0, "m-1", "came 40 s late")
	put_incident(1, 2, 1, begin + 40, "", "command", "", none, store "/absent", 0, "", "")
	put_incident(1, 3, 1, begin + 41, "", "command", "", none, store "/endless", bytes, "", "")
	put_incident(1, 4, 1, begin + 42, "", "command", "", none, store "/html", 0, "", "")
}
