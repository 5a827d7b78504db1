import { storeDraftImage, storeImage } from "@lodge/contract/calls.generated";
import type { StoredImage } from "@lodge/contract/dashboard/images";
import { imageBytesMax } from "@lodge/contract/limits";
import { type ClipboardEvent, type DragEvent, type RefObject, useState } from "react";
import { flushSync } from "react-dom";
import { messageOf } from "../../api/call.ts";
import { sendFile } from "../../api/send-file.ts";

/** The state of images being added to a text, and a function that adds some. */
export type Images = {
  add: (files: Iterable<File>) => void;
  /** Handlers for the text field: paste and drop. */
  handlers: {
    onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
    onDragOver: (event: DragEvent<HTMLTextAreaElement>) => void;
    onDrop: (event: DragEvent<HTMLTextAreaElement>) => void;
  };
  /** The number of images being uploaded. */
  underWay: number;
  /** Why the last image could not be added. */
  problem: string | undefined;
};

/**
 * Uploads images for a text of a ticket or, without `ticketId`, of a new card, and inserts each at the cursor of
 * `field` by `change`.
 */
export function useImages(
  ticketId: string | undefined,
  field: RefObject<HTMLTextAreaElement | null>,
  change: (text: string) => void,
): Images {
  const [underWay, setUnderWay] = useState(0);
  const [problem, setProblem] = useState<string>();
  const insert = (markdown: string) => {
    const element = field.current;
    if (!element) return; // closed since: the server deletes images that no text contains
    const { value, selectionStart, selectionEnd } = element;
    const before = value.slice(0, selectionStart);
    const inserted = `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${markdown}\n`;
    flushSync(() => change(inserted + value.slice(selectionEnd))); // synchronously, so that the next typed letter goes to the cursor
    element.setSelectionRange(inserted.length, inserted.length);
  };
  const addOne = async (file: File) => {
    if (file.size > imageBytesMax) throw new Error(`${file.name} is larger than 10 MiB.`);
    const { url } = await store(ticketId, file).catch((error: unknown) => {
      throw new Error(`${file.name} could not be added. ${messageOf(error)}`);
    });
    insert(`![${file.name.replaceAll(/[[\]\\\n]/g, " ")}](${url})`);
  };
  const add = (files: Iterable<File>) => {
    const images = [...files].filter(isImage);
    if (images.length === 0) return;
    setProblem(undefined);
    setUnderWay((count) => count + images.length);
    void (async () => {
      for (const image of images) {
        await addOne(image).catch((error: Error) => setProblem(error.message));
        setUnderWay((count) => count - 1);
      }
    })();
  };
  return {
    add,
    underWay,
    problem,
    handlers: {
      onPaste: (event) => {
        const { files } = event.clipboardData;
        if (![...files].some(isImage)) return;
        event.preventDefault();
        add(files);
      },
      onDragOver: (event) => {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault(); // else the browser opens the file
      },
      onDrop: (event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        add(event.dataTransfer.files);
      },
    },
  };
}

const isImage = ({ type }: File) => type.startsWith("image/");

function store(ticketId: string | undefined, image: Blob): Promise<StoredImage> {
  const path = ticketId === undefined ? storeDraftImage.path : storeImage.path.replace("{ticketId}", ticketId);
  return sendFile(path, image);
}
