import { ImagePlus } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "../../ui/button.tsx";
import type { Images } from "./use-images.ts";

/** A button that adds images to a text. They can also be pasted or dropped. */
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
          event.target.value = ""; // so that the same file can be picked again
        }}
      />
      <IconButton label="Add image" aria-busy={images.underWay > 0 || undefined} onClick={() => input.current?.click()}>
        <ImagePlus aria-hidden className="size-4" />
      </IconButton>
    </>
  );
}

/** The progress and errors of images being added. */
export function ImagesState({ images: { underWay, problem } }: { images: Images }) {
  return (
    <p role="status" className={`text-xs ${problem ? "text-danger-ink" : "text-muted"}`}>
      {problem ?? (underWay > 0 ? "Adding the image…" : "")}
    </p>
  );
}
