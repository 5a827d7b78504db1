import { CallError } from "@lodge/contract/call";
import { listReach, showOwnToken } from "@lodge/contract/calls.generated";
import { failureOf, openClient } from "./client.ts";
import { type Environment, readAddress, requireToken } from "./credentials.ts";
import { exitCodes } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the token's name, access and permissions, never its secret. Returns the exit code; throws a `Failure`. */
export async function checkToken({ json }: { json?: boolean }, env: Environment, terminal: Terminal): Promise<number> {
  const secret = requireToken(env, terminal);
  const address = readAddress(env);
  const call = openClient({ address, secret, terminal });
  try {
    const token = await call(showOwnToken);
    const projects = token.permissions.includes("projects:read") ? (await call(listReach)).projects : undefined;
    if (json) {
      const named = projects?.map(({ id, slug, name }) => ({ id, slug, name }));
      terminal.print(JSON.stringify({ ...token, ...(named && { projects: named }) }, null, 2));
      return exitCodes.done;
    }
    const names = projects?.map(({ slug }) => slug).join(", ");
    const projectsInWords =
      token.scope === "all"
        ? `all projects${names ? `: ${names}` : ""}`
        : (names ?? `${token.scope.length} project${token.scope.length === 1 ? "" : "s"}`) || "no project";
    const lines = [
      ["Token", token.name],
      ["Server", address],
      ["Permissions", token.permissions.join(", ") || "nothing"],
      ["Projects", projectsInWords],
      ["Created", token.createdAt],
      ["Last used", token.lastUsedAt ?? "never"],
    ];
    terminal.print(lines.map(([name = "", value]) => `${name.padEnd(13)}${value}`).join("\n"));
    return exitCodes.done;
  } catch (error) {
    throw error instanceof CallError ? failureOf(error, address) : error;
  }
}
