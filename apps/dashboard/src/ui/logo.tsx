/** The logo of Lodge. */
export function Logo({ className = "size-6" }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden className={className}>
      <rect width="24" height="24" rx="6" className="fill-accent" />
      <path d="M5 17.5 12 6l7 11.5h-4.2L12 12.8l-2.8 4.7z" className="fill-on-accent" />
    </svg>
  );
}
