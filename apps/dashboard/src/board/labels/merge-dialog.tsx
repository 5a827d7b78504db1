import { mergeLabel } from "@lodge/contract/calls.generated";
import { useMutation } from "@tanstack/react-query";
import { ChevronsUpDown } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { choiceClass } from "../../ui/choice.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { Modal } from "../../ui/modal.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { LabelButton } from "../ticket/label-button.tsx";
import { LabelName } from "../ticket/label-name.tsx";

/** Merges a label into another one after asking which. */
export function MergeDialog({ name, close }: { name: string; close: () => void }) {
  const [into, setInto] = useState<string>();
  const save = useMutation({
    mutationFn: async () => {
      await call(mergeLabel, { body: { name, into: into ?? "" } });
      keepFocusAt("main h1");
      await fetchAfter({ kind: "labels.changed" });
      tellDone(`“${name}” merged into “${into}”`);
    },
    onSuccess: close,
  });
  return (
    <Modal title={`Merge “${name}”`} close={close}>
      <DialogForm save={save} submit="Merge" disabled={into === undefined} onSubmit={() => save.mutate()} close={close}>
        <p className="text-muted">Cards with this label get the other one instead. This cannot be undone.</p>
        <LabelButton
          once
          creates={false}
          without={name}
          chosen={into === undefined ? [] : [into]}
          choose={setInto}
          trigger={() => (
            <button type="button" aria-label={`Merge into: ${into ?? "Choose a label"}`} className={choiceClass}>
              <span className="min-w-0 flex-1 truncate">
                {into === undefined ? "Choose a label" : <LabelName name={into} className="px-2" />}
              </span>
              <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-muted" />
            </button>
          )}
        />
      </DialogForm>
    </Modal>
  );
}
