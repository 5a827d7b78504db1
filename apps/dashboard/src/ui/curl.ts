/** The body of a request to file a ticket. For omitted fields, the server uses the token's defaults. */
export type TicketBody = {
  projectId?: string;
  boardId?: string;
  columnId?: string;
  assigneeUserId?: string;
  agentRepositoryId?: string;
};

/** A line for a terminal that files a ticket with a token; without a secret, with the one in `LODGE_TOKEN`. */
export const ticketCurl = (body: TicketBody, secret?: string): string =>
  [
    `curl ${location.origin}/api/v1/tickets`,
    secret === undefined ? `  -H "Authorization: Bearer $LODGE_TOKEN"` : `  -H 'Authorization: Bearer ${secret}'`,
    "  -H 'Content-Type: application/json'",
    `  -d '${JSON.stringify({ title: "Nightly build is red", ...body })}'`,
  ].join(" \\\n");

/** A line for a terminal that sends a report with an SDK key: another one each time. */
export const reportCurl = (ingestUrl: string, key: string): string =>
  [
    `curl ${ingestUrl}`,
    `  -H 'Authorization: Bearer ${key}'`,
    `  -F 'envelope={"reportId": "curl-'$(date +%s)'", "title": "Hello from a terminal"};type=application/json'`,
  ].join(" \\\n");
