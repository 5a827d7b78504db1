import { lazy, Suspense } from "react";
import { keepLoading } from "../../api/keep-loading.ts";
import type { Tick } from "./markdown.tsx";
import { PlainText } from "./plain-text.tsx";
import type { TaskSource } from "./task-card.tsx";

/** A text as Markdown. Until the parser is loaded, or if it cannot be loaded, as plain text. */
export function RichText(text: { text: string; mentions?: string[]; tick?: Tick | undefined; source?: TaskSource }) {
  return (
    <Suspense fallback={<PlainText {...text} />}>
      <Markdown {...text} />
    </Suspense>
  );
}

const Markdown = lazy(() =>
  keepLoading(() => import("./markdown.tsx")).then(
    (module) => ({ default: module.Markdown }),
    () => ({ default: PlainText }),
  ),
);
