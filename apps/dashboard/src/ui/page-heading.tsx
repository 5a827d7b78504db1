import { type ReactNode, useEffect, useRef } from "react";

let firstPage = true;

/** Names the page in the browser's title; undefined leaves it as it is. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title !== undefined) document.title = title ? `${title} · Lodge` : "Lodge";
  }, [title]);
}

/** For the heading of a page: it takes the focus after a navigation, so that a screen reader follows; not where a dialog has it. */
export function useHeadingFocus(isCovered = () => false) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isCoveredAtFirst = useRef(isCovered);
  useEffect(() => {
    if (!firstPage && !isCoveredAtFirst.current()) heading.current?.focus({ preventScroll: true });
    firstPage = false;
  }, []);
  return heading;
}

/** The heading of a page, which names it, with what can be done on it. */
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
