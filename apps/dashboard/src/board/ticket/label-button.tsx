import { type ComponentProps, cloneElement, lazy, type ReactElement, Suspense, useState } from "react";
import { keepLoading } from "../../api/keep-loading.ts";
import { type Opened, openedBy } from "../../ui/popup.tsx";
import { useLoadSoon } from "../../ui/use-load-soon.ts";
import type { LabelChoice } from "./label-picker.tsx";

const load = () => keepLoading(() => import("./label-picker.tsx")).then((module) => ({ default: module.LabelPicker }));
const LabelPicker = lazy(load);

/** A button that opens the label picker. With `once`, choosing a label closes it. */
export function LabelButton({
  trigger,
  once = false,
  choose,
  ...choice
}: Omit<LabelChoice, "typed" | "setTyped"> & {
  /** Renders the button, given the text that was typed but not chosen. */
  trigger: (typed: string) => ReactElement<ComponentProps<"button">>;
  once?: boolean;
}) {
  const [opened, setOpened] = useState<Opened>();
  const [typed, setTyped] = useState("");
  useLoadSoon(load); // so that letters typed right after the shortcut go to the picker
  return (
    <>
      {cloneElement(trigger(opened ? "" : typed.trim()), {
        "aria-haspopup": "dialog",
        "aria-expanded": opened !== undefined,
        onClick: (event) => setOpened(opened ? undefined : openedBy(event)),
      })}
      {opened && (
        <Suspense>
          <LabelPicker
            {...opened}
            {...choice}
            typed={typed}
            setTyped={setTyped}
            choose={(name) => {
              if (once) setOpened(undefined);
              choose(name);
            }}
            close={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
