import { createHook, deleteHook, listHooks, rotateHookSecret } from "@lodge/contract/calls.generated";
import { addressLengthMax } from "@lodge/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { TextField } from "../../ui/field.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { RotateSecretDialog } from "../../ui/rotate-secret-dialog.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { SectionHeading } from "../../ui/section-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { inWords } from "./hook-page.tsx";
import { type Chosen, isComplete, TicketEvents } from "./ticket-events.tsx";

/** The webhooks of the organisation, for owners and admins. */
export function Hooks() {
  const hooks = useQuery(query(listHooks));
  const [making, setMaking] = useState(false);
  const [rotating, setRotating] = useState<string>();
  const [deleting, setDeleting] = useState<{ id: string; url: string }>();
  return (
    <section aria-labelledby="webhooks">
      <SectionHeading id="webhooks" title="Webhooks">
        <Button onClick={() => setMaking(true)}>
          <Plus aria-hidden className="size-4" />
          New webhook
        </Button>
      </SectionHeading>
      <p className="mb-3 max-w-prose text-muted">
        Alerts are about disabled subscribers, failed deliveries, install limits, suspension, problems and finished
        runs.
      </p>
      {hooks.isPending && <Skeleton className="h-28" />}
      {hooks.isError && !hooks.data && <LoadError error={hooks.error} retry={() => void hooks.refetch()} />}
      {hooks.data?.hooks.length === 0 && (
        <Empty title="No webhooks yet">
          A webhook sends alerts and ticket events to your URL. Owners and admins also get the alerts as notifications.
        </Empty>
      )}
      {hooks.data && hooks.data.hooks.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {hooks.data.hooks.map((hook) => (
            <li key={hook.id} className="flex items-center gap-3 py-2 pr-2 pl-3">
              <div className="min-w-0 flex-1">
                <Link
                  to="/hooks/$hookId"
                  params={{ hookId: hook.id }}
                  className="font-medium wrap-anywhere hover:underline"
                >
                  {hook.url}
                </Link>
                <p className="text-sm text-muted">{inWords(hook)}</p>
                {!hook.enabled && <p className="text-sm text-warn-ink">Disabled. {hook.disabledReason}</p>}
                <p className={`text-sm wrap-anywhere ${hook.lastFailure ? "text-danger-ink" : "text-muted"}`}>
                  {hook.lastSentAt ? (
                    <>
                      {hook.lastFailure ?? "Last sent"} · <Time at={hook.lastSentAt} />
                    </>
                  ) : (
                    "Nothing sent yet"
                  )}
                </p>
                {hook.previousSecretEndsAt && (
                  <p className="text-sm text-muted">
                    Messages are also signed with the previous secret until <ExactTime at={hook.previousSecretEndsAt} />
                  </p>
                )}
              </div>
              <IconButton label={`Rotate secret of ${hook.url}`} onClick={() => setRotating(hook.id)}>
                <RefreshCw aria-hidden className="size-4" />
              </IconButton>
              <IconButton label={`Delete ${hook.url}`} onClick={() => setDeleting(hook)}>
                <Trash2 aria-hidden className="size-4" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {making && <NewHookDialog close={() => setMaking(false)} />}
      {rotating && (
        <RotateSecretDialog
          rotate={async () => {
            const made = await call(rotateHookSecret, { params: { hookId: rotating } });
            await fetchAfter({ kind: "hooks.changed" });
            return made;
          }}
          close={() => setRotating(undefined)}
        />
      )}
      {deleting && (
        <Confirm
          title="Delete this webhook?"
          confirm="Delete webhook"
          act={async () => {
            await call(deleteHook, { params: { hookId: deleting.id } });
            await fetchAfter({ kind: "hooks.changed" });
            tellDone("Webhook deleted");
          }}
          close={() => setDeleting(undefined)}
        >
          {deleting.url} will get no more messages.
        </Confirm>
      )}
    </section>
  );
}

/** Creates a webhook, then shows its signing secret, which is not shown again after the dialog closes. */
function NewHookDialog({ close }: { close: () => void }) {
  const [url, setUrl] = useState("");
  const [chosen, setChosen] = useState<Chosen>({ ticketTypes: [], projectIds: null });
  const create = useMutation({
    mutationFn: () => call(createHook, { body: { url: url.trim(), ...chosen } }),
    gcTime: 0, // the secret is dropped with the dialog
    onSuccess: () => fetchAfter({ kind: "hooks.changed" }),
  });
  if (create.data) {
    return (
      <Modal title="Webhook created" showsOnce close={close}>
        <SecretOnce
          warning="Copy the secret now. It is shown only once. Messages are signed with it (Standard Webhooks)."
          title="Signing secret"
          secret={create.data.secret}
          close={close}
        />
      </Modal>
    );
  }
  return (
    <Modal title="New webhook" close={close}>
      <DialogForm
        save={create}
        submit="Create webhook"
        disabled={!isComplete(chosen)}
        onSubmit={() => create.mutate()}
        close={close}
      >
        <TextField
          label="URL"
          type="url"
          placeholder="https://hooks.example.com/lodge"
          required
          lengthMax={addressLengthMax}
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TicketEvents value={chosen} onChange={setChosen} />
      </DialogForm>
    </Modal>
  );
}
