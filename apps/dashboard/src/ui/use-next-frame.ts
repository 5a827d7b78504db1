import { startTransition, useEffect, useState } from "react";

/** False until what was made with it has been painted: for what takes longer to make than a frame, and may come after it. */
export function useNextFrame(): boolean {
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A frame calls back before it is painted.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setTime(true)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isTime;
}
