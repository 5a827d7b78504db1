import type { ErrorThread, EventDetails, Frame } from "@lodge/contract/dashboard/inbox";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { LongText } from "../../ui/long-text.tsx";
import { Lines } from "./lines.tsx";

type ReportedError = NonNullable<EventDetails["error"]>;
type Link = ReportedError["causes"][number];

/** An error with its causes and threads. The app's own frames are highlighted, library frames are collapsed. */
export function EventError({ error }: { error: ReportedError }) {
  const { stack, causes, threads, isNewestLast } = error;
  const links: Link[] = [{ ...error, isMember: false }, ...causes];
  const hasFrames = links.some(({ frames }) => frames.length > 0);
  const [asSent, setAsSent] = useState(!hasFrames);
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-md font-semibold text-danger-ink wrap-anywhere">
        {error.type || "Error"}
      </h2>
      <LongText text={error.message} className="mt-0.5 mb-3 text-base" />
      {(stack !== null || hasFrames) && (
        <div className="mb-2 flex items-center gap-1">
          <h3 className="mr-auto text-sm font-medium">Stack trace</h3>
          {stack !== null && hasFrames && (
            <Button small look="quiet" aria-pressed={asSent} onClick={() => setAsSent(!asSent)}>
              Show original
            </Button>
          )}
          {stack !== null && <CopyButton text={stack} label="the stack trace" />}
        </div>
      )}
      {asSent && stack !== null ? (
        <Lines label="Original stack trace" text={stack} />
      ) : (
        <Chain links={links} isNewestLast={isNewestLast} />
      )}
      {!asSent && threads.length > 0 && <Threads threads={threads} />}
    </section>
  );
}

/** The errors of a chain in the platform's order: Python prints the root cause first and the latest call last. */
function Chain({ links, isNewestLast }: { links: Link[]; isNewestLast: boolean }) {
  // Python, too, prints an exception group before its members.
  const isRootFirst = isNewestLast && !links.some(({ isMember }) => isMember);
  const shown = isRootFirst ? links.toReversed() : links;
  return (
    <div className="flex flex-col gap-3">
      {shown.map((link, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two errors may be equal
        <div key={index}>
          {links.length > 1 && (
            <h4 className="mb-1 text-sm wrap-anywhere">
              {link !== shown[0] && (
                <span className="text-muted">{link.isMember ? "Also " : isRootFirst ? "Caused " : "Caused by "}</span>
              )}
              <span className="font-semibold">{link.type ?? "Error"}</span>
              {link.message && <span> {link.message.slice(0, 1_000)}</span>}
            </h4>
          )}
          {link.frames.length > 0 && <Frames frames={isNewestLast ? link.frames.toReversed() : link.frames} />}
          {link.frameCount > link.frames.length && (
            <p className="mt-1 text-xs text-muted">
              The first {link.frames.length} of {link.frameCount} frames.
            </p>
          )}
        </div>
      ))}
    </div>
  );
}

/** Other threads, goroutines or tasks, collapsed. */
function Threads({ threads }: { threads: ErrorThread[] }) {
  return (
    <div className="mt-3 flex flex-col gap-1">
      <h4 className="text-sm font-medium">Other threads</h4>
      {threads.map(({ name, frames }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two threads may be equal
        <details key={index} className="rounded-md border border-line">
          <summary className="cursor-pointer px-2 py-1.5 text-sm wrap-anywhere">{name}</summary>
          <Frames frames={frames} />
        </details>
      ))}
    </div>
  );
}

/** Groups adjacent frames of the same kind: own or library. */
function runsOf(frames: Frame[]): Frame[][] {
  const runs: Frame[][] = [];
  for (const frame of frames) {
    const last = runs.at(-1);
    if (last?.[0]?.isOwn === frame.isOwn) last.push(frame);
    else runs.push([frame]);
  }
  return runs;
}

/** A stack trace. Library frames are collapsed. */
export function Frames({ frames }: { frames: Frame[] }) {
  const runs = runsOf(frames);
  const hasOwn = frames.some(({ isOwn }) => isOwn);
  return (
    <ol className="overflow-hidden rounded-md border border-line bg-surface">
      {runs.map((run, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: frames have no other key
        <li key={index} className="border-line not-first:border-t">
          {run[0]?.isOwn || !hasOwn ? <OwnFrames frames={run} /> : <OtherFrames frames={run} />}
        </li>
      ))}
    </ol>
  );
}

function OwnFrames({ frames }: { frames: Frame[] }) {
  return (
    <ol className="divide-y divide-line">
      {frames.map((frame, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: frames have no other key
        <li key={index} className="px-3 py-2">
          <OneFrame frame={frame} />
        </li>
      ))}
    </ol>
  );
}

function OtherFrames({ frames }: { frames: Frame[] }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="bg-sunken text-muted">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-1 px-2 py-1.5 text-left text-sm hover:bg-hover"
      >
        <ChevronRight aria-hidden className={`size-4 shrink-0 ${open ? "rotate-90" : ""}`} />
        {frames.length === 1 ? "1 library frame" : `${frames.length} library frames`}
      </button>
      {open && <OwnFrames frames={frames} />}
    </div>
  );
}

/** A frame. Its source lines are collapsed unless the error happened there. */
function OneFrame({ frame }: { frame: Frame }) {
  const { file, line, column, module, context, isCulprit } = frame;
  const [open, setOpen] = useState(isCulprit);
  const place = [file, line, column].filter((part) => part !== null).join(":");
  const name = frame.function ?? "(anonymous)";
  const title = (
    <>
      <span className={`font-semibold ${isCulprit ? "text-danger-ink" : ""}`}>
        {module !== null && !name.includes(module) ? `${module}.${name}` : name}
      </span>
      <span className="text-muted"> {place || "native code"}</span>
    </>
  );
  return (
    <div title={frame.raw} className="font-mono text-xs leading-5 wrap-anywhere">
      {isCulprit && (
        <span className="float-right ml-2 rounded-sm bg-danger-soft px-1 font-sans text-danger-ink">Error here</span>
      )}
      {context ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="-mx-1 flex items-start gap-1 rounded-sm px-1 text-left hover:bg-hover"
        >
          <ChevronRight
            aria-hidden
            className={`mt-0.5 -ml-0.5 size-4 shrink-0 text-muted ${open ? "rotate-90" : ""}`}
          />
          <span className="min-w-0">{title}</span>
        </button>
      ) : (
        title
      )}
      {context && open && <Source context={context} line={line} />}
    </div>
  );
}

/** The numbered source lines around a frame, with its own line marked. */
function Source({ context, line }: { context: NonNullable<Frame["context"]>; line: number | null }) {
  const { before, after } = context;
  return (
    <div className="mt-1 overflow-hidden rounded-sm border border-line bg-sunken py-1">
      {[...before, context.line, ...after].map((text, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be equal
          key={index}
          className={`flex min-h-5 gap-3 px-2 ${index === before.length ? "bg-danger-soft font-semibold" : "text-muted"}`}
        >
          {line !== null && (
            <span aria-hidden className="shrink-0 text-right tabular-nums select-none" style={{ minWidth: "3ch" }}>
              {line - before.length + index}
            </span>
          )}
          <span className="min-w-0 whitespace-pre-wrap">{text}</span>
        </div>
      ))}
    </div>
  );
}
