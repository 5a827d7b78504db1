import { changeLabel, deleteLabel } from "@lodge/contract/calls.generated";
import type { Label } from "@lodge/contract/dashboard/labels";
import { type LabelColor, labelColors } from "@lodge/contract/label-colors";
import { filterLengthMax, labelLengthMax } from "@lodge/contract/limits";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Check, Ellipsis, Merge, Palette, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { labelsQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { IconButton } from "../../ui/button.tsx";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { DropMenu, MenuItem } from "../../ui/menu.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { toneClass } from "../../ui/tone.ts";
import { LabelColors, LabelName } from "../ticket/label-name.tsx";
import { MergeDialog } from "./merge-dialog.tsx";

/** The labels of the organisation. Owners and admins can rename, recolour, merge and delete them. */
export function LabelsPage() {
  const { organisation } = useSession();
  const [text, setText] = useState("");
  const labels = useQuery({ ...labelsQuery(text), placeholderData: keepPreviousData });
  const manages = organisation.role !== "member";
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading title="Labels" hint="All projects share these labels. To create a label, type its name on a card." />
      <SearchField label="Find a label" lengthMax={filterLengthMax} text={text} onChange={setText} className="mb-3" />
      {labels.isPending && (
        <div aria-busy>
          <p className="sr-only">Loading the labels</p>
          <Skeleton className="h-24" />
        </div>
      )}
      {labels.isError && !labels.data && <LoadError error={labels.error} retry={() => void labels.refetch()} />}
      {labels.data?.labels.length === 0 && (
        <p className="text-muted">
          {text === "" ? "No labels yet. Labels appear here once a card has one." : "No labels found."}
        </p>
      )}
      {labels.data && labels.data.labels.length > 0 && (
        <LabelColors>
          {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
          <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
            {labels.data.labels.map((label) => (
              <LabelRow key={label.name} label={label} manages={manages} />
            ))}
          </ul>
        </LabelColors>
      )}
    </main>
  );
}

const changed = () => fetchAfter({ kind: "labels.changed" });

function LabelRow({ label: { name, color }, manages }: { label: Label; manages: boolean }) {
  const [open, setOpen] = useState<"rename" | "merge" | "delete">();
  const close = () => setOpen(undefined);
  const recolour = async (wanted: LabelColor) => {
    try {
      await call(changeLabel, { body: { name, color: wanted } });
      await changed();
    } catch (error) {
      tellFailed(`The colour of “${name}” was not changed`, error);
    }
  };
  const rename = async (newName: string) => {
    await call(changeLabel, { body: { name, newName } });
    keepFocusAt("main h1");
    await changed();
    tellDone(`“${name}” is now “${newName}”`);
  };
  const remove = async () => {
    await call(deleteLabel, { body: { name } });
    keepFocusAt("main h1");
    await changed();
    tellDone(`“${name}” deleted`);
  };
  return (
    <li className="far-off flex min-h-11 items-center gap-2 px-3 py-1.5">
      <span className="flex min-w-0 flex-1">
        <LabelName name={name} className="truncate px-2 text-sm" />
      </span>
      {manages && (
        <>
          <ColorMenu name={name} color={color} choose={(wanted) => void recolour(wanted)} />
          <DropMenu
            trigger={
              <IconButton label={`Actions for ${name}`}>
                <Ellipsis aria-hidden className="size-4" />
              </IconButton>
            }
          >
            <MenuItem onClick={() => setOpen("rename")}>
              <Pencil aria-hidden className="size-4" />
              Rename
            </MenuItem>
            <MenuItem onClick={() => setOpen("merge")}>
              <Merge aria-hidden className="size-4" />
              Merge into another label
            </MenuItem>
            <MenuItem danger onClick={() => setOpen("delete")}>
              <Trash2 aria-hidden className="size-4" />
              Delete
            </MenuItem>
          </DropMenu>
        </>
      )}
      {open === "rename" && (
        <NameDialog
          title="Rename the label"
          name={name}
          submit="Rename"
          lengthMax={labelLengthMax}
          act={rename}
          close={close}
        >
          <p className="text-sm text-muted">
            All cards and saved views get the new name. An integration that still sends the old name creates the old
            label again.
          </p>
        </NameDialog>
      )}
      {open === "merge" && <MergeDialog name={name} close={close} />}
      {open === "delete" && (
        <Confirm title={`Delete “${name}”?`} confirm="Delete the label" act={remove} close={close}>
          It is removed from all cards. This cannot be undone.
        </Confirm>
      )}
    </li>
  );
}

function ColorMenu({
  name,
  color: chosen,
  choose,
}: {
  name: string;
  color: LabelColor;
  choose: (color: LabelColor) => void;
}) {
  return (
    <DropMenu
      trigger={
        <IconButton label={`Colour of ${name}`}>
          <Palette aria-hidden className="size-4" />
        </IconButton>
      }
    >
      {labelColors.map((color) => (
        <MenuItem key={color} checked={color === chosen} onClick={() => choose(color)}>
          <span aria-hidden className={`size-4 rounded-full ${toneClass(color)} ring-1 ring-line-strong ring-inset`} />
          <span className="capitalize">{color === "gray" ? "grey" : color}</span>
          {color === chosen && <Check aria-hidden className="ml-auto size-4" />}
        </MenuItem>
      ))}
    </DropMenu>
  );
}
