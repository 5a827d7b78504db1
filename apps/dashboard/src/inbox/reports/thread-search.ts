import type { ThreadFilter } from "@lodge/contract/dashboard/threads";

/** The search parameters of the conversations. Without a state, open conversations are shown. */
export type ThreadSearch = { state?: "waiting" | "unread" | "closed"; app?: string };

const states: readonly unknown[] = ["waiting", "unread", "closed"];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Parses the filter from search parameters, ignoring unknown and invalid ones. */
export const readThreadSearch = ({ state, app }: Record<string, unknown>): ThreadSearch => ({
  ...(states.includes(state) && { state: state as NonNullable<ThreadSearch["state"]> }),
  ...(typeof app === "string" && uuid.test(app) && { app }),
});

/** The filter for the API. */
export const threadFilter = ({ state, app }: ThreadSearch): ThreadFilter => ({
  state: state ?? "open",
  ...(app && { appId: app }),
});
