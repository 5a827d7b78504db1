import { useState } from "react";

/** An image stored in Lodge, as shown in a text. */
export function TextImage({ src, alt }: { src: string; alt: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <span className="text-sm text-muted">(The image {alt} could not be loaded.)</span>;
  return (
    <img
      src={src}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(true)}
      className="my-1 inline-block max-h-96 max-w-full rounded-sm border border-line"
    />
  );
}
