/** A grey placeholder in the size of the loading content. Put one `aria-busy` around all of them. */
export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden className={`motion-safe:animate-pulse rounded-md bg-hover ${className}`} />;
}
