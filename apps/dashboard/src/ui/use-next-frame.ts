import { startTransition, useEffect, useState } from "react";

/** Does something once what shows now has been painted; what it returns leaves that. */
export function afterNextFrame(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A frame calls back before it is painted.
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(act);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** False until what was made with it has been painted: for what takes longer to make than a frame, and may come after it. */
export function useNextFrame(): boolean {
  const [isTime, setTime] = useState(false);
  useEffect(() => afterNextFrame(() => startTransition(() => setTime(true))), []);
  return isTime;
}
