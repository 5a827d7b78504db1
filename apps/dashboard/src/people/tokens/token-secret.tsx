import type { Project } from "@lodge/contract/dashboard/boards";
import type { NewApiToken } from "@lodge/contract/dashboard/tokens";
import { Copyable } from "../../ui/copyable.tsx";
import { ticketCurl } from "../../ui/curl.ts";
import { SecretOnce } from "../../ui/secret-once.tsx";

/** The secret of a new token, and a command that uses it. */
export function TokenSecret({
  made: { token, secret },
  projects,
  close,
}: {
  made: NewApiToken;
  projects: Project[];
  close: () => void;
}) {
  const writes = token.permissions.includes("tickets:write");
  return (
    <SecretOnce
      warning="Copy the secret now. It is shown only once. If you lose it, revoke the token and create another."
      secret={secret}
      close={close}
    >
      {writes && <Copyable title="File a ticket from a terminal" text={curlLine(token.scope, secret, projects)} />}
    </SecretOnce>
  );
}

/** Included in the command if the token has access to more than one project. */
function curlLine(scope: NewApiToken["token"]["scope"], secret: string, projects: Project[]): string {
  const [first, second] = scope === "all" ? projects.map(({ id }) => id) : scope;
  return ticketCurl(first !== undefined && second !== undefined ? { projectId: first } : {}, secret);
}
