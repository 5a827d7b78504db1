const bars = new Set<Element>();
let messages: HTMLElement | undefined;

const marginPx = 16;
const resized = new ResizeObserver(place);

/** Moves the messages above the bars at the lower edge. */
function place() {
  if (!messages) return;
  const { left, right } = messages.getBoundingClientRect();
  const tops = [...bars]
    .map((bar) => bar.getBoundingClientRect())
    .filter((bar) => bar.left < right && bar.right > left);
  const top = Math.min(innerHeight, ...tops.map((bar) => bar.top));
  messages.style.bottom = `${innerHeight - top + marginPx}px`;
}

function watch(element: Element) {
  resized.observe(element);
  place();
}

/** The `ref` for an interactive bar at the lower edge, which messages must not cover. */
export function bottomBar(element: Element | null) {
  if (!element) return;
  bars.add(element);
  watch(element);
  return () => {
    bars.delete(element);
    resized.unobserve(element);
    place();
  };
}

/** The `ref` for the messages. */
export function aboveBars(element: HTMLElement | null) {
  if (!element) return;
  messages = element;
  watch(element);
  return () => {
    messages = undefined;
    resized.unobserve(element);
  };
}
