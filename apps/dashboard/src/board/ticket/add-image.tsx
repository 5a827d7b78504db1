import { ImagePlus } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "../../ui/button.tsx";
import type { Images } from "./use-images.ts";

/** Picks images for a text. They can be pasted into it and dropped on it as well. */
export function AddImage({ images }: { images: Images }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp,image/avif"
        multiple
        hidden
        onChange={(event) => {
          images.add(event.target.files ?? []);
          event.target.value = ""; // the same one can be picked again
        }}
      />
      <IconButton label="Add image" aria-busy={images.underWay > 0 || undefined} onClick={() => input.current?.click()}>
        <ImagePlus aria-hidden className="size-4" />
      </IconButton>
    </>
  );
}

/** The state of images that are being added, if any. */
export function ImagesState({ images: { underWay, problem } }: { images: Images }) {
  return (
    <p role="status" className={`text-xs ${problem ? "text-danger-ink" : "text-muted"}`}>
      {problem ?? (underWay > 0 ? "Adding the image…" : "")}
    </p>
  );
}
