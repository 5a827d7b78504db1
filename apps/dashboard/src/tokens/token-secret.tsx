import type { Project } from "@lodge/contract/dashboard/boards";
import type { NewApiToken } from "@lodge/contract/dashboard/tokens";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

/** The secret of a token that was just made, and a line for a terminal that uses it. */
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
    <div className="flex flex-col gap-5">
      <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
        Copy the secret now: it is shown this once. A token whose secret is lost is revoked and replaced.
      </p>
      <Copyable title="Secret" text={secret} />
      {writes && <Copyable title="File a ticket from a terminal" text={curlLine(token.scope, secret, projects)} />}
      <div className="flex justify-end">
        <Button look="primary" onClick={close}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}

function Copyable({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="text-sm font-medium">{title}</h3>
        <CopyButton text={text} label={title.toLowerCase()} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5"
      >
        <code>{text}</code>
      </pre>
    </section>
  );
}

/** The project is named where the token reaches more than one. */
function curlLine(scope: NewApiToken["token"]["scope"], secret: string, projects: Project[]): string {
  const reached = scope === "all" ? projects.map(({ id }) => id) : scope;
  const body = { title: "Nightly build is red", ...(reached.length > 1 && { projectId: reached[0] }) };
  return [
    `curl ${location.origin}/api/v1/tickets`,
    `  -H 'Authorization: Bearer ${secret}'`,
    "  -H 'Content-Type: application/json'",
    `  -d '${JSON.stringify(body)}'`,
  ].join(" \\\n");
}
