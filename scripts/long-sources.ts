const list = "A list of short, similar entries.";
const corpus = "A list of stacks from runtimes, for a test.";
const page = "All operations of a dashboard page with their schemas, which refer to each other.";
const statement = "One SQL statement, read from top to bottom.";
const transaction = "One transaction, in the order in which it must happen.";
const component = "One component, mostly markup and button handlers. To be split by what it shows.";
const busy = "Several people are changing it at the moment. To be split by subject.";

/** Files that may be longer than others, and why. */
export const longFiles: Record<string, string> = {
  "apps/dashboard/test/every-page.ts": "A list of all pages, for the tests of pages, screenshots and sizes.",
  "apps/server/src/inbox/problems/count-occurrences.ts": statement,
  "apps/server/src/inbox/problems/read-events.ts": busy,
  "apps/server/src/inbox/stacks/corpus/compiled.ts": corpus,
  "apps/server/src/inbox/stacks/corpus/javascript.ts": corpus,
  "apps/server/src/inbox/stacks/corpus/jvm.ts": corpus,
  "apps/server/src/inbox/stacks/corpus/phones.ts": corpus,
  "apps/server/src/inbox/stacks/corpus/scripts.ts": corpus,
  "apps/server/src/inbox/problems/view-inbox.ts": busy,
  "apps/server/src/platform/jobs/jobs.ts":
    "Workarounds for private tables of the job queue, in one place so that they can be replaced.",
  "bench/growth.ts": "One benchmark. Nothing else uses parts of it.",
  "bench/soak.ts": "One benchmark. Nothing else uses parts of it.",
  "packages/contract/src/dashboard/access.ts": page,
  "packages/contract/src/dashboard/apps.ts": page,
  "packages/contract/src/dashboard/boards.ts": page,
  "packages/contract/src/dashboard/inbox.ts": page,
  "packages/contract/src/dashboard/runs.ts": page,
  "packages/contract/src/dashboard/subscribers.ts": page,
  "packages/contract/src/dashboard/tickets.ts": page,
  "packages/contract/src/errors.ts": list,
  "packages/contract/src/runners.ts": "All operations of runners with their schemas.",
  "packages/contract/src/tickets.ts": "All operations of the ticket API with their schemas, which refer to each other.",
};

/** Functions that may be longer than others, by file and name, and why. */
export const longFunctions: Record<string, string> = {
  "apps/dashboard/src/board/board/board-column.tsx OpenColumn": component,
  "apps/dashboard/src/board/board/board-filters.tsx useChoices": list,
  "apps/dashboard/src/board/board/list-view.tsx ListView": component,
  "apps/dashboard/src/board/board/board-view.tsx BoardView": component,
  "apps/dashboard/src/board/board/laid-out-cards.ts useLaidOutCards":
    "Measurements of each frame, which all steps share.",
  "apps/dashboard/src/board/projects/projects-page.tsx OneProject": component,
  "apps/dashboard/src/inbox/reports/event-view.tsx EventView": component,
  "apps/dashboard/src/inbox/subscribers/subscriber-page.tsx SubscriberView": component,
  "apps/dashboard/src/people/members/members-page.tsx MemberRow": component,
  "apps/dashboard/src/people/members/provider-dialog.tsx ProviderDialog": component,
  "apps/dashboard/src/people/tokens/token-form.tsx TokenForm": component,
  "apps/dashboard/test/lively-reports.ts sendLivelyReports": list,
  "apps/dashboard/test/lively-world.ts makeLivelyWorld": list,
  "apps/server/src/board/tickets/file-occurrences.ts text": statement,
  "apps/server/src/board/tickets/resolve-problems.ts text": statement,
  "apps/server/src/inbox/problems/count-occurrences.ts text": statement,
  "apps/server/src/inbox/problems/count-occurrences.ts countOccurrences": busy,
  "apps/server/src/inbox/reports/receive-report.ts receiveReport":
    "One stream, whose parts come in any order and share what is known so far.",
  "apps/server/src/operate/provisioning/commands.ts addProvisioningCommands": list,
  "apps/server/src/operate/provisioning/export-organisation.ts lines": "One snapshot, written as one stream.",
  "apps/server/src/operate/provisioning/import-organisation.ts read": "One stream, read into one transaction.",
  "apps/server/src/people/access/describe-session.ts describeSession": statement,
  "apps/server/src/people/organisations/dashboard-routes.ts organisationRoutes": list,
  "apps/server/src/people/organisations/invite.ts invite": transaction,
  "apps/server/src/platform/config/config.ts readConfig": list,
  "apps/server/src/platform/jobs/jobs.ts startRunner":
    "Workarounds for private tables of the job queue, in one place so that they can be replaced.",
  "apps/server/src/testing/make-organisation.ts makeOrganisation": list,
  "apps/server/src/testing/start-object-store.ts startObjectStore": "One server, with a branch for each request.",
  "bench/fill-reports.ts fillReports": list,
  "bench/tickets.ts report": list,
  "packages/cli/src/command-line.ts run": list,
  "packages/cli/src/create-ticket.ts createTicket": busy,
  "packages/sdk/src/lodge.ts createLodgeOn": "The parts of a Lodge, which refer to each other.",
  "packages/sdk/src/widget-picture.ts createPicture": component,
  "packages/sdk/src/widget.ts openWidget": component,
};
