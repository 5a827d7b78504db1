/**
 * Calls `seen` once, as soon as an element is in view; returns what stops waiting for that. A busy browser tells of
 * several changes at once, oldest first: the last one says how it is now.
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
