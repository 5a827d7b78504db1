import type { ThreadFilter } from "@lodge/contract/dashboard/threads";

/** Which conversations are shown, as the address says it; without a state the open ones. */
export type ThreadSearch = { state?: "waiting" | "unread" | "closed"; app?: string };

const states: readonly unknown[] = ["waiting", "unread", "closed"];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Parses the filter from search parameters, ignoring unknown and invalid ones. */
export const readThreadSearch = ({ state, app }: Record<string, unknown>): ThreadSearch => ({
  ...(states.includes(state) && { state: state as NonNullable<ThreadSearch["state"]> }),
  ...(typeof app === "string" && uuid.test(app) && { app }),
});

/** The filter in terms of the API. */
export const threadFilter = ({ state, app }: ThreadSearch): ThreadFilter => ({
  state: state ?? "open",
  ...(app && { appId: app }),
});
