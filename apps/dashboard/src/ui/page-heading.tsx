import { type ReactNode, useEffect, useRef } from "react";

let firstPage = true;

/** Sets the document title; undefined leaves it unchanged. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title !== undefined) document.title = title ? `${title} · Lodge` : "Lodge";
  }, [title]);
}

/** Focuses the heading of a page after a navigation, for screen readers, unless a dialog has the focus. */
export function useHeadingFocus(isCovered = () => false) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isCoveredAtFirst = useRef(isCovered);
  useEffect(() => {
    if (!firstPage && !isCoveredAtFirst.current()) heading.current?.focus({ preventScroll: true });
    firstPage = false;
  }, []);
  return heading;
}

/** The heading of a page with its actions. Also sets the document title. */
export function PageHeading({ title, children, hint }: { title: string; children?: ReactNode; hint?: ReactNode }) {
  const heading = useHeadingFocus();
  useTitle(title);
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 ref={heading} tabIndex={-1} className="text-lg font-semibold tracking-tight wrap-anywhere">
          {title}
        </h1>
        {hint && <p className="mt-1 max-w-prose text-muted">{hint}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}
