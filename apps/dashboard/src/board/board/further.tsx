import { type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { whenSeen } from "../../ui/when-seen.ts";

/** The distance below the visible part within which more cards are loaded, in pixels. */
const aheadPx = 800;

/** Loads more cards when the end of the loaded ones comes near the visible part. */
export function Further({ list, load }: { list: RefObject<HTMLElement | null>; load: () => Promise<void> }) {
  const element = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  useEffect(() => {
    if (!element.current || failed) return;
    return whenSeen(element.current, () => latest.current().catch(() => setFailed(true)), {
      root: list.current,
      rootMargin: `0px 0px ${aheadPx}px 0px`,
    });
  }, [list, failed]);
  if (failed) {
    return (
      <Button look="quiet" small className="mt-1 w-full" onClick={() => setFailed(false)}>
        Load more cards
      </Button>
    );
  }
  return (
    <div ref={element} aria-busy className="p-1">
      <p className="sr-only">Loading more cards</p>
      <Skeleton className="h-19" />
    </div>
  );
}
