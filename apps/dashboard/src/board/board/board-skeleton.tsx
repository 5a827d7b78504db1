import { Skeleton } from "../../ui/skeleton.tsx";

/** The placeholder of a loading board, in its later size. */
export function BoardSkeleton() {
  return (
    <div aria-busy className="flex h-full flex-col">
      <p className="sr-only">Loading the board</p>
      <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3 md:px-6">
        <Skeleton className="h-7 w-40" />
        <Skeleton className="ml-auto h-8 w-64 max-w-full" />
      </div>
      <div className="flex min-h-0 flex-1 gap-3 overflow-hidden p-4 md:px-6">
        {[3, 2, 1].map((cards) => (
          <div key={cards} className="flex w-68 shrink-0 flex-col gap-2">
            <Skeleton className="mb-1 h-6 w-28" />
            {Array.from({ length: cards }, (_, index) => index).map((card) => (
              <Skeleton key={card} className="h-19" />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
