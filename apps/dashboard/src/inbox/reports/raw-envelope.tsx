import { Download } from "lucide-react";
import { useId, useState } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { RemoteText } from "./remote-text.tsx";

/** The envelope as sent, byte for byte. Fetched on request. */
export function RawEnvelope({ url }: { url: string }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 id={id} className="mr-auto text-sm font-semibold">
          Raw envelope
        </h2>
        <Button small aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Show"}
          <span className="sr-only"> the raw envelope</span>
        </Button>
        <a href={url} download className={buttonClass({ small: true })}>
          <Download aria-hidden className="size-3.5" />
          Download
          <span className="sr-only"> the raw envelope</span>
        </a>
      </div>
      {open && <RemoteText label="the raw envelope" url={url} whole />}
    </section>
  );
}
