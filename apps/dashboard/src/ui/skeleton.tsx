/** A grey place of the size of what is being loaded; say so once around them with `aria-busy`. */
export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden className={`motion-safe:animate-pulse rounded-md bg-hover ${className}`} />;
}
