import { createRunner, listRunners, revokeRunner } from "@lodge/contract/calls.generated";
import type { Runner } from "@lodge/contract/dashboard/runs";
import { nameLengthMax } from "@lodge/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copyable.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { TextField } from "../../ui/field.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { SectionHeading } from "../../ui/section-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { tellDone } from "../../ui/toasts.tsx";

/** The runners. Owners and admins can create and revoke them. */
export function Runners() {
  const { organisation } = useSession();
  const runners = useQuery(query(listRunners));
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Runner>();
  const isAdmin = organisation.role !== "member";
  return (
    <section aria-labelledby="runners" className="mt-8">
      <SectionHeading id="runners" title="Runners">
        {isAdmin && (
          <Button onClick={() => setMaking(true)}>
            <Plus aria-hidden className="size-4" />
            New runner
          </Button>
        )}
      </SectionHeading>
      {runners.isPending && <Skeleton className="h-16" />}
      {runners.isError && !runners.data && <LoadError error={runners.error} retry={() => void runners.refetch()} />}
      {runners.data?.runners.length === 0 && (
        <Empty title="No runners yet">A runner is a process that you start. It runs the agent for each card.</Empty>
      )}
      {runners.data && runners.data.runners.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {runners.data.runners.map((runner) => (
            <li key={runner.id} className="flex items-center gap-3 py-1.5 pr-2 pl-3">
              <div className="min-w-0 flex-1">
                <span className="font-medium wrap-anywhere">{runner.name}</span>
                <p className="text-sm text-muted">
                  {runner.lastSeenAt ? (
                    <>
                      Last seen <Time at={runner.lastSeenAt} />
                    </>
                  ) : (
                    "Never seen"
                  )}
                  {runner.runCount > 0 && ` · ${runner.runCount} active ${runner.runCount === 1 ? "run" : "runs"}`}
                </p>
              </div>
              {isAdmin && (
                <IconButton label={`Revoke ${runner.name}`} onClick={() => setRevoking(runner)}>
                  <Trash2 aria-hidden className="size-4" />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {making && <NewRunnerDialog close={() => setMaking(false)} />}
      {revoking && (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          confirm="Revoke the runner"
          act={async () => {
            await call(revokeRunner, { params: { runnerId: revoking.id } });
            await fetchAfter({ kind: "runners.changed" });
            tellDone(`“${revoking.name}” is revoked`);
          }}
          close={() => setRevoking(undefined)}
        >
          Its requests will be refused. This cannot be undone. Another runner takes over its runs.
        </Confirm>
      )}
    </section>
  );
}

/** Creates a runner, then shows its secret, which is not shown again after the dialog closes. */
function NewRunnerDialog({ close }: { close: () => void }) {
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => call(createRunner, { body: { name: name.trim() } }),
    gcTime: 0, // the secret is dropped with the dialog
    onSuccess: () => fetchAfter({ kind: "runners.changed" }),
  });
  if (create.data) {
    const start = `curl -fsS ${location.origin}/lodge-runner.mjs -o lodge-runner.mjs
node lodge-runner.mjs --url ${location.origin} --token-file runner.token --agent claude`;
    return (
      <Modal title={`“${create.data.runner.name}” is ready`} showsOnce close={close}>
        <SecretOnce
          warning="Copy the secret now. It is shown only once. Put it into a file that only the runner’s user can read."
          secret={create.data.secret}
          close={close}
        >
          <Copyable title="Start the runner" text={start} />
          <p className="text-sm text-muted">
            To push, add <code>--git-token VARIABLE=HOST</code>: the environment variable that holds the token, and the
            host that gets it. For example <code>--git-token GITHUB_TOKEN=github.com</code>. See{" "}
            <a href="/docs/guides/agent" className="text-accent-ink underline underline-offset-2">
              the guide to the agent
            </a>
            .
          </p>
        </SecretOnce>
      </Modal>
    );
  }
  return (
    <Modal title="New runner" close={close}>
      <DialogForm save={create} submit="Create runner" onSubmit={() => create.mutate()} close={close}>
        <TextField
          label="Name"
          hint="Shown on its runs"
          placeholder="builder"
          required
          pattern=".*\S.*"
          lengthMax={nameLengthMax}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </DialogForm>
    </Modal>
  );
}
