import type { EventDetails } from "@lodge/contract/dashboard/inbox";
import { Download } from "lucide-react";
import { useState } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { LongText } from "../../ui/long-text.tsx";
import { formatBytes } from "../../ui/numbers.ts";
import { RemoteText } from "./remote-text.tsx";

type Attachment = EventDetails["attachments"][number];

/**
 * The attachments of an event. Only attachments that the server declares as images are displayed, as the source of an
 * `img`, which runs no scripts. Text is shown as text; everything else can be downloaded.
 */
export function Attachments({ attachments }: { attachments: Attachment[] }) {
  return (
    <ul className="flex flex-col gap-4">
      {attachments.map((attachment) => (
        <OneAttachment key={attachment.position} attachment={attachment} />
      ))}
    </ul>
  );
}

function OneAttachment({ attachment }: { attachment: Attachment }) {
  const [open, setOpen] = useState(false);
  const { partName, filename, contentType, kind, byteLength, preview, url } = attachment;
  const name = filename || partName;
  return (
    <li className="rounded-md border border-line bg-surface p-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1">
          <p className="font-medium wrap-anywhere">{name}</p>
          <p className="text-xs text-muted wrap-anywhere">
            {[kind, contentType, formatBytes(byteLength)].filter(Boolean).join(" · ")}
          </p>
        </div>
        {preview === "text" && url !== null && (
          <Button small aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : "Show"}
            <span className="sr-only"> {name}</span>
          </Button>
        )}
        {url !== null && (
          <a href={url} download className={buttonClass({ small: true })}>
            <Download aria-hidden className="size-3.5" />
            Download
            <span className="sr-only"> {name}</span>
          </a>
        )}
      </div>
      {url === null && <p className="mt-2 text-sm text-muted">Deleted because its retention period has ended.</p>}
      {preview === "image" && url !== null && <Picture name={name} url={url} />}
      {open && url !== null && (
        <div className="mt-3">
          <RemoteText label={name} url={url} byteLength={byteLength} />
        </div>
      )}
    </li>
  );
}

function Picture({ name, url }: { name: string; url: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <LongText text="The browser cannot show this image." className="mt-2 text-sm text-muted" />;
  return (
    <img
      src={url}
      alt={name}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
      className="mt-3 max-h-96 max-w-full rounded-sm border border-line"
    />
  );
}
