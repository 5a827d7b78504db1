/**
 * Calls `seen` once, as soon as an element is in view. Returns a function that cancels it. A busy browser reports
 * several changes together, oldest first, so only the last one counts.
 */
export function whenSeen(element: Element, seen: () => void, options?: IntersectionObserverInit): () => void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.at(-1)?.isIntersecting) return;
    observer.disconnect();
    seen();
  }, options);
  observer.observe(element);
  return () => observer.disconnect();
}
