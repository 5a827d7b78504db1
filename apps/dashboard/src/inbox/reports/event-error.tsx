import type { EventDetails, Frame } from "@lodge/contract/dashboard/inbox";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { LongText } from "../../ui/long-text.tsx";
import { Lines } from "./lines.tsx";

type ReportedError = NonNullable<EventDetails["error"]>;

/** An error with its stack: the frames of the app itself stand out, those of others are folded away. */
export function EventError({ error }: { error: ReportedError }) {
  const [asSent, setAsSent] = useState(error.frames.length === 0);
  const id = useId();
  const { stack, frames, frameCount } = error;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-md font-semibold text-danger-ink wrap-anywhere">
        {error.type || "Error"}
      </h2>
      <LongText text={error.message} className="mt-0.5 mb-3 text-base" />
      {stack !== null && (
        <>
          <div className="mb-2 flex items-center gap-1">
            <h3 className="mr-auto text-sm font-medium">Stack</h3>
            {frames.length > 0 && (
              <Button small look="quiet" aria-pressed={asSent} onClick={() => setAsSent(!asSent)}>
                As sent
              </Button>
            )}
            <CopyButton text={stack} label="the stack" />
          </div>
          {asSent ? <Lines label="The stack as sent" text={stack} /> : <Frames frames={frames} />}
          {!asSent && frameCount > frames.length && (
            <p className="mt-1 text-xs text-muted">
              The first {frames.length} of {frameCount} frames. The stack as sent has the others.
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** Neighbours of one kind stand together. */
function runsOf(frames: Frame[]): Frame[][] {
  const runs: Frame[][] = [];
  for (const frame of frames) {
    const last = runs.at(-1);
    if (last?.[0]?.isOwn === frame.isOwn) last.push(frame);
    else runs.push([frame]);
  }
  return runs;
}

/** A stack, frame by frame: those of the app itself, and those of others folded away. */
export function Frames({ frames }: { frames: Frame[] }) {
  const runs = runsOf(frames);
  const hasOwn = frames.some(({ isOwn }) => isOwn);
  return (
    <ol className="overflow-hidden rounded-md border border-line bg-surface">
      {runs.map((run, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: frames have no other name
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
        // biome-ignore lint/suspicious/noArrayIndexKey: frames have no other name
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

function OneFrame({ frame }: { frame: Frame }) {
  const place = [frame.file, frame.line, frame.column].filter((part) => part !== null).join(":");
  return (
    <div title={frame.raw} className="font-mono text-xs leading-5 wrap-anywhere">
      <span className="font-semibold">{frame.function ?? "(anonymous)"}</span>
      <span className="text-muted"> {place || "native code"}</span>
    </div>
  );
}
