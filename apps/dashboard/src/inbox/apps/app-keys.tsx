import { createKey, revokeKey, rotateKey } from "@lodge/contract/calls.generated";
import type { App, SdkKey } from "@lodge/contract/dashboard/apps";
import { useMutation } from "@tanstack/react-query";
import { Ellipsis, Plus, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Choice, type Option } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { DropMenu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { Section } from "../../ui/section.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { tellDone } from "../../ui/toasts.tsx";

const changed = () => fetchAfter({ kind: "apps.changed" });

/** The active SDK keys of an app, which can be created, replaced and revoked. */
export function AppKeys({ app, manages }: { app: App; manages: boolean }) {
  const [open, setOpen] = useState<{ dialog: "create" } | { dialog: "rotate" | "revoke"; key: SdkKey }>();
  const close = () => setOpen(undefined);
  return (
    <Section
      title="SDK keys"
      actions={
        manages && (
          <Button small onClick={() => setOpen({ dialog: "create" })}>
            <Plus aria-hidden className="size-3.5" />
            New key
          </Button>
        )
      }
    >
      <p className="text-sm text-muted">
        SDK keys can be shipped with your app: they only allow sending reports. Never ship an API token.
      </p>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line">
        {app.keys.map((key) => (
          <li key={key.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <div className="min-w-0 flex-1 basis-64">
              <p className="font-medium wrap-anywhere">
                {key.name}
                {key.endsAt && (
                  <span className="ml-2 rounded-sm bg-warn-soft px-1.5 text-xs font-medium text-warn-ink">
                    Stops working <ExactTime at={key.endsAt} />
                  </span>
                )}
              </p>
              <code className="font-mono text-xs wrap-anywhere">{key.key}</code>
              <p className="text-sm text-muted">
                Created <Time at={key.createdAt} /> · {usedInWords(key.recentReportCount)}
              </p>
            </div>
            <CopyButton text={key.key} label={`the key ${key.name}`} />
            {manages && (
              <DropMenu
                trigger={
                  <IconButton label={`Actions for the key ${key.name}${key.endsAt ? ", already replaced" : ""}`}>
                    <Ellipsis aria-hidden className="size-4" />
                  </IconButton>
                }
              >
                <MenuItem disabled={key.endsAt !== null} onClick={() => setOpen({ dialog: "rotate", key })}>
                  <RefreshCw aria-hidden className="size-4" />
                  Replace key
                </MenuItem>
                <MenuLine />
                <MenuItem danger onClick={() => setOpen({ dialog: "revoke", key })}>
                  <Trash2 aria-hidden className="size-4" />
                  Revoke
                </MenuItem>
              </DropMenu>
            )}
          </li>
        ))}
      </ul>
      {app.keys.length === 0 && (
        <p className="text-muted">No keys. Lodge refuses every report from this app. Create a key to accept reports.</p>
      )}
      {open?.dialog === "create" && (
        <NameDialog
          title="New SDK key"
          submit="Create key"
          act={async (name) => {
            await call(createKey, { params: { appId: app.id }, body: { name } });
            await changed();
          }}
          close={close}
        >
          <p className="text-sm text-muted">
            Create a key for each release channel or platform to see their refused reports separately.
          </p>
        </NameDialog>
      )}
      {open?.dialog === "rotate" && <RotateDialog appId={app.id} sdkKey={open.key} close={close} />}
      {open?.dialog === "revoke" && (
        <Confirm
          title={`Revoke the key “${open.key.name}”?`}
          confirm="Revoke key"
          act={async () => {
            await call(revokeKey, { params: { appId: app.id, keyId: open.key.id } });
            await changed();
            tellDone(`“${open.key.name}” is revoked`);
          }}
          close={close}
        >
          Reports sent with it will be refused. This cannot be undone.{" "}
          {open.key.recentReportCount > 0 && `It was used for ${usedCount(open.key)} of the latest 1,000 reports.`}
        </Confirm>
      )}
    </Section>
  );
}

const usedCount = ({ recentReportCount }: SdkKey) => formatCount(recentReportCount);

const usedInWords = (count: number) =>
  `used for ${count === 0 ? "none" : formatCount(count)} of the app's latest 1,000 reports`;

const overlaps: Option<"0" | "7" | "30" | "90" | "365">[] = [
  { value: "0", label: "Immediately" },
  { value: "7", label: "After 7 days" },
  { value: "30", label: "After 30 days" },
  { value: "90", label: "After 90 days" },
  { value: "365", label: "After a year" },
];

function RotateDialog({ appId, sdkKey, close }: { appId: string; sdkKey: SdkKey; close: () => void }) {
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]["value"]>("30");
  const rotate = useMutation({
    mutationFn: () => call(rotateKey, { params: { appId, keyId: sdkKey.id }, body: { overlapDays: Number(overlap) } }),
    onSuccess: async () => {
      await changed();
      tellDone(`“${sdkKey.name}” has a new key`);
      close();
    },
  });
  return (
    <Modal title={`Replace the key “${sdkKey.name}”`} close={close}>
      <DialogForm save={rotate} submit="Replace key" onSubmit={() => rotate.mutate()} close={close}>
        <p>
          A new key gets this name. Versions of the app that you have already shipped can use the old key until it stops
          working.
        </p>
        <div>
          <p className="mb-1 text-sm font-medium">The old key stops working</p>
          <Choice label="The old key stops working" options={overlaps} value={overlap} onChange={setOverlap} />
        </div>
      </DialogForm>
    </Modal>
  );
}
