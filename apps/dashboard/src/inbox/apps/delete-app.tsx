import { deleteApp, previewAppDeletion } from "@lodge/contract/calls.generated";
import type { App, AppDeletion } from "@lodge/contract/dashboard/apps";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { manyCounted } from "../../ui/numbers.ts";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { tellDone } from "../../ui/toasts.tsx";

/** Deletes an app. Only for owners and admins. */
export function DeleteApp({ app }: { app: App }) {
  const [open, setOpen] = useState(false);
  return (
    <Section title="Delete the app">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-64 text-sm text-muted">
          Its SDK keys stop working, and its reports are deleted permanently. To silence its SDKs for a while, turn off
          “Enabled” in its settings instead.
        </p>
        <Button onClick={() => setOpen(true)}>
          <Trash2 aria-hidden className="size-4" />
          Delete the app…
        </Button>
      </div>
      {open && <DeleteAppDialog app={app} close={() => setOpen(false)} />}
    </Section>
  );
}

function DeleteAppDialog({ app, close }: { app: App; close: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const preview = useQuery({ ...query(previewAppDeletion, { params: { appId: app.id } }), gcTime: 0 });
  const remove = useMutation({
    mutationFn: () => call(deleteApp, { params: { appId: app.id } }),
    onSuccess: async () => {
      await navigate({ to: "/apps" });
      await Promise.all([fetchAfter({ kind: "apps.changed" }), fetchAfter({ kind: "subscribers.changed" })]);
      tellDone(`“${app.name}” is deleted`);
    },
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate();
  };
  return (
    <Modal title={`Delete “${app.name}”`} close={close}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        {preview.data && <Consequences counts={preview.data} keys={app.keys.length} />}
        {preview.isPending && <Skeleton className="h-24" />}
        {preview.isError && <LoadError error={preview.error} retry={() => void preview.refetch()} />}
        <TextField
          label={`Type ${app.slug} to confirm`}
          required
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <FormError error={remove.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="danger" busy={remove.isPending} disabled={typed !== app.slug || !preview.data}>
            Delete the app
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function Consequences({ counts, keys }: { counts: AppDeletion; keys: number }) {
  const { reportCount, problemCount, subscriberCount, sourceMapCount, cardCount } = counts;
  return (
    <>
      <div>
        <p className="font-medium">Deleted</p>
        <ul className="list-disc pl-5">
          <li>
            {manyCounted(reportCount, "report")} in {manyCounted(problemCount, "problem")}, with attachments and
            conversations
          </li>
          <li>
            {manyCounted(keys, "SDK key")}: reports sent with {keys === 1 ? "it" : "them"} are refused.
          </li>
          <li>{manyCounted(subscriberCount, "subscriber")}, with delivery history</li>
          <li>{manyCounted(sourceMapCount, "source map")}</li>
        </ul>
      </div>
      <div>
        <p className="font-medium">Kept</p>
        <ul className="list-disc pl-5">
          <li>{manyCounted(cardCount, "card")} created from its reports</li>
          <li>Install counts and the audit log</li>
        </ul>
      </div>
    </>
  );
}
