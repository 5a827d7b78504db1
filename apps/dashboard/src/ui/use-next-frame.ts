import { startTransition, useEffect, useState } from "react";

/** Calls `act` after the next paint. Returns a function that cancels it. */
export function afterNextFrame(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The callback of a frame runs before its paint.
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(act);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** False until the first render is painted. Use it to delay content that takes longer than a frame to render. */
export function useNextFrame(): boolean {
  const [isTime, setTime] = useState(false);
  useEffect(() => afterNextFrame(() => startTransition(() => setTime(true))), []);
  return isTime;
}
