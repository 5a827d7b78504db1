import { lookNow, useLostAt } from "../api/reach.ts";
import { Button } from "../ui/button.tsx";
import { PageHeading } from "../ui/page-heading.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

/** Shown in place of a page while its script loads. The rest of the app stays usable. */
export function PageWaiting() {
  const isLost = useLostAt() !== undefined;
  return (
    <main aria-busy className="mx-auto max-w-5xl px-4 py-8 md:px-8">
      {isLost ? (
        <>
          <PageHeading title="This page is not loaded yet" hint="It opens as soon as Lodge can be reached." />
          <Button onClick={lookNow}>Try again</Button>
        </>
      ) : (
        <>
          <p className="sr-only">Loading</p>
          <Skeleton className="h-8 w-64" />
          <Skeleton className="mt-6 h-40" />
        </>
      )}
    </main>
  );
}
