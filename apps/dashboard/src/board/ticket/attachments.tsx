import type { Attachment } from "@lodge/contract/attachments";
import {
  attachTicketFile,
  deleteTicketAttachment,
  getTicketAttachment,
  listTicketAttachments,
} from "@lodge/contract/calls.generated";
import { ticketAttachmentBytesMax } from "@lodge/contract/limits";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Paperclip, Trash2 } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { query } from "../../api/query.ts";
import { sendFile } from "../../api/send-file.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { formatBytes } from "../../ui/numbers.ts";
import { Time } from "../../ui/time.tsx";
import { tellFailed } from "../../ui/toasts.tsx";

/** The attachments of a ticket, which can be added, downloaded and deleted. */
export function Attachments({ ticketId }: { ticketId: string }) {
  const asked = query(listTicketAttachments, { params: { ticketId } });
  const found = useQuery(asked);
  const queryClient = useQueryClient();
  const [deleting, setDeleting] = useState<Attachment>();
  const reload = () => queryClient.invalidateQueries({ queryKey: asked.queryKey });
  const attach = useMutation({ mutationFn: (files: File[]) => sendAll(ticketId, files), onSettled: reload });
  const all = found.data?.attachments;
  const accept = (files: Iterable<File>) => {
    const chosen = [...files];
    if (chosen.length > 0) attach.mutate(chosen);
  };
  return (
    <section aria-label="Attachments" className="flex flex-col gap-1.5 px-2" {...onDrop(accept)}>
      <div className="flex items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">Attachments</h2>
        <AttachButton busy={attach.isPending} accept={accept} />
      </div>
      {found.isError && !all && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {all?.length === 0 && (
        <p className="text-sm text-muted">No attachments. Add logs, traces or any other files of up to 25 MiB.</p>
      )}
      {all && all.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-md border border-line">
          {all.map((attachment) => (
            <Row key={attachment.id} attachment={attachment} remove={() => setDeleting(attachment)} />
          ))}
        </ul>
      )}
      {deleting && (
        <Confirm
          title="Delete this attachment?"
          confirm="Delete"
          act={async () => {
            await call(deleteTicketAttachment, { params: { attachmentId: deleting.id } });
            await reload();
          }}
          close={() => setDeleting(undefined)}
        >
          {deleting.filename} cannot be restored.
        </Confirm>
      )}
    </section>
  );
}

function AttachButton({ busy, accept }: { busy: boolean; accept: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          accept(event.target.files ?? []);
          event.target.value = ""; // so that the same file can be picked again
        }}
      />
      <Button small look="quiet" busy={busy} onClick={() => input.current?.click()}>
        <Paperclip aria-hidden className="size-3.5" />
        Attach files
      </Button>
    </>
  );
}

function Row({ attachment, remove }: { attachment: Attachment; remove: () => void }) {
  const { id, filename, byteLength, author, createdAt } = attachment;
  return (
    <li className="flex items-center gap-2 py-1 pr-1 pl-3">
      <div className="min-w-0 flex-1">
        <a
          href={getTicketAttachment.path.replace("{attachmentId}", id)}
          download={filename}
          className="font-medium wrap-anywhere hover:underline"
        >
          {filename}
        </a>
        <p className="text-xs text-muted">
          {formatBytes(byteLength)} · {author.name} · <Time at={createdAt} />
        </p>
      </div>
      <IconButton label={`Delete ${filename}`} onClick={remove}>
        <Trash2 aria-hidden className="size-4" />
      </IconButton>
    </li>
  );
}

/** Handlers for files dropped on an element. Without them the browser would open the files. */
const onDrop = (accept: (files: Iterable<File>) => void) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  },
  onDrop: (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    accept(event.dataTransfer.files);
  },
});

/** Attaches files, and shows an error for each one that is refused. */
async function sendAll(ticketId: string, files: readonly File[]): Promise<void> {
  const path = attachTicketFile.path.replace("{ticketId}", ticketId);
  for (const file of files) {
    if (file.size > ticketAttachmentBytesMax) {
      tellFailed(`${file.name} was not attached: it is larger than 25 MiB`); // browsers read no response while they upload
      continue;
    }
    const named = `${path}?${new URLSearchParams({ filename: file.name })}`;
    await sendFile<Attachment>(named, file).catch((error: unknown) =>
      tellFailed(`${file.name} was not attached`, error),
    );
  }
}
