import { make } from "./make-element.ts";
import type { widgetTexts } from "./widget-texts.ts";

/** The longest side of a sent picture, in pixels. */
const sideMax = 2000;
/** The step by which a key moves or resizes a box, as a fraction of the picture. */
const step = 0.02;

type Box = { x: number; y: number; width: number; height: number };

/** A picture in a report, in which the reporter can hide parts. */
export type Picture = {
  /** The button that picks a file. */
  pick: HTMLElement;
  /** The picture and its controls; hidden while there is no picture. */
  element: HTMLElement;
  show: (image: Blob) => Promise<void>;
  /** A PNG in which the boxes have replaced the pixels below them; undefined if there is no picture. */
  blob: () => Promise<Blob | undefined>;
};

/** Creates the picture part of the widget. */
export function createPicture(texts: typeof widgetTexts, onUnreadable: () => void): Picture {
  const canvas = make("canvas", { tabIndex: 0, role: "img", ariaLabel: texts.picture, width: 0 });
  const paint = canvas.getContext("2d");
  const boxes: Box[] = [];
  let image: ImageBitmap | undefined;

  function draw() {
    if (!image || !paint) return;
    paint.drawImage(image, 0, 0, canvas.width, canvas.height);
    paint.fillStyle = "#000";
    for (const { x, y, width, height } of boxes) {
      paint.fillRect(x * canvas.width, y * canvas.height, width * canvas.width, height * canvas.height);
    }
    undo.disabled = boxes.length === 0;
  }

  const file = make("input", { type: "file", accept: "image/*", id: "file" });
  const pick = make("label", { htmlFor: "file", className: "button", textContent: texts.pick }, [file]);
  const add = make("button", { type: "button", textContent: texts.box });
  const undo = make("button", { type: "button", textContent: texts.undo, disabled: true });
  const remove = make("button", { type: "button", textContent: texts.remove });
  const element = make("figure", { hidden: true }, [
    canvas,
    make("figcaption", { textContent: texts.hint }),
    make("div", { className: "row" }, [add, undo, remove]),
  ]);

  async function show(blob: Blob) {
    try {
      image = await createImageBitmap(blob);
      const scale = Math.min(1, sideMax / Math.max(image.width, image.height));
      canvas.width = Math.round(image.width * scale);
      canvas.height = Math.round(image.height * scale);
      boxes.length = 0;
      element.hidden = false;
      draw();
    } catch {
      onUnreadable();
    }
  }
  file.onchange = () => {
    const [picked] = file.files ?? [];
    file.value = "";
    if (picked) void show(picked);
  };
  add.onclick = () => {
    boxes.push({ x: 0.4, y: 0.4, width: 0.2, height: 0.2 });
    draw();
    canvas.focus();
  };
  undo.onclick = () => {
    boxes.pop();
    draw();
    if (undo.disabled) add.focus();
  };
  remove.onclick = () => {
    image = undefined;
    element.hidden = true;
    file.focus();
  };

  const at = ({ offsetX, offsetY }: PointerEvent) =>
    [offsetX / canvas.clientWidth, offsetY / canvas.clientHeight] as const;
  canvas.onpointerdown = (event) => {
    const [startX, startY] = at(event);
    const box = { x: startX, y: startY, width: 0, height: 0 };
    boxes.push(box);
    canvas.setPointerCapture(event.pointerId);
    canvas.onpointermove = (moved) => {
      const [x, y] = at(moved);
      Object.assign(box, {
        x: Math.min(x, startX),
        y: Math.min(y, startY),
        width: Math.abs(x - startX),
        height: Math.abs(y - startY),
      });
      draw();
    };
    canvas.onpointerup = () => {
      canvas.onpointermove = null;
    };
  };
  canvas.onkeydown = (event) => {
    const box = boxes.at(-1);
    const [x, y] = directions[event.key] ?? [0, 0];
    if (!box || (!x && !y)) return;
    event.preventDefault();
    if (event.shiftKey) {
      box.width = Math.max(step, box.width + x * step);
      box.height = Math.max(step, box.height + y * step);
    } else {
      box.x += x * step;
      box.y += y * step;
    }
    draw();
  };

  return {
    pick,
    element,
    show,
    blob: () =>
      image
        ? new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), "image/png"))
        : Promise.resolve(undefined),
  };
}

const directions: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
