import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { messageOf } from "../api/call.ts";
import { Button } from "./button.tsx";

/** The error of a form. Screen readers announce it. */
export function FormError({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <p role="alert" className="flex gap-2 rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-ink">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {messageOf(error)}
    </p>
  );
}

/** Shown if something could not be loaded: the error, and a button that tries again. */
export function LoadError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-start gap-3 p-6">
      <h2 className="text-md font-semibold">This could not be loaded</h2>
      <p className="text-muted">{messageOf(error)}</p>
      <Button onClick={retry}>Try again</Button>
    </div>
  );
}

/** The empty state of a list: what will appear here, and what to do next. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-2 rounded-lg border border-dashed border-line-strong/60 p-6">
      <h2 className="text-md font-semibold">{title}</h2>
      <p className="max-w-prose text-muted">{children}</p>
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}
