import { lazy, Suspense } from "react";
import { PlainText } from "./plain-text.tsx";

/** What somebody wrote: as Markdown once its parser is there, as plain text until then and where it cannot be loaded. */
export function RichText(text: { text: string; mentions?: string[] }) {
  return (
    <Suspense fallback={<PlainText {...text} />}>
      <Markdown {...text} />
    </Suspense>
  );
}

const Markdown = lazy(() =>
  import("./markdown.tsx").then(
    (module) => ({ default: module.Markdown }),
    () => ({ default: PlainText }),
  ),
);
