/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of program.c that defines a struct of which the other part knows only the name. */
struct opaque {
	long before;
	int value;
};

int opaque_value(struct opaque *o);

int opaque_value(struct opaque *o)
{
	return o->value;
}
