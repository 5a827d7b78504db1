import type { Deps } from "../platform/deps.ts";
import type { Auth } from "./auth.ts";

const loaded = new WeakMap<Deps, Promise<Auth>>();

/** The sign-in library, loaded when it is first needed: half a second and 50 MB that a process for tickets does without. */
export function loadAuth(deps: Deps): Promise<Auth> {
  const auth = loaded.get(deps) ?? import("./auth.ts").then(({ createAuth }) => createAuth(deps));
  loaded.set(deps, auth);
  return auth;
}
