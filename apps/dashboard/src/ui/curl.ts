/** The body of a request that files a ticket. For omitted fields, the server uses the token's defaults. */
export type TicketBody = {
  projectId?: string;
  boardId?: string;
  columnId?: string;
  assigneeUserId?: string;
  agentRepositoryId?: string;
};

/** A curl command that files a ticket with a token. Without `secret`, it uses the variable `LODGE_TOKEN`. */
export const ticketCurl = (body: TicketBody, secret?: string): string =>
  [
    `curl ${location.origin}/api/v1/tickets`,
    secret === undefined ? `  -H "Authorization: Bearer $LODGE_TOKEN"` : `  -H 'Authorization: Bearer ${secret}'`,
    "  -H 'Content-Type: application/json'",
    `  -d '${JSON.stringify({ title: "Nightly build is red", ...body })}'`,
  ].join(" \\\n");

/** A curl command that sends a report with an SDK key, with a new id on each run. */
export const reportCurl = (ingestUrl: string, key: string): string =>
  [
    `curl ${ingestUrl}`,
    `  -H 'Authorization: Bearer ${key}'`,
    `  -F 'envelope={"reportId": "curl-'$(date +%s)'", "title": "Hello from a terminal"};type=application/json'`,
  ].join(" \\\n");
