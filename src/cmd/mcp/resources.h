/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be read about events and analyses, by the names of resources: lkst://event/NAME, lkst://analysis/NAME and
 * lkst://analyses. It is the same for all traces.
 */
#ifndef LKST_CMD_MCP_RESOURCES_H
#define LKST_CMD_MCP_RESOURCES_H

#include <jansson.h>
#include <stdbool.h>

/*
 * Each makes the result of a request, which is the caller's; NULL: there is no memory. False: there is no such cursor
 * or resource.
 */
bool lkst_mcp_resources_list(const char *cursor, json_t **ret_result);
bool lkst_mcp_resources_read(const char *uri, json_t **ret_result);
json_t *lkst_mcp_resources_templates(void);

/* Names that begin with @value, for the template @uri. */
json_t *lkst_mcp_resources_complete(const char *uri, const char *value);

#endif
