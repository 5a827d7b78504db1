import { strikeOutMonth } from "@lodge/contract/calls.generated";
import { noteLengthMax } from "@lodge/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { TextField } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { monthInWords } from "./month-words.ts";

/** Excludes a month from the limit after asking for the reason. */
export function StrikeOutDialog({ month, close }: { month: string; close: () => void }) {
  const [note, setNote] = useState("");
  const name = monthInWords(month);
  const strike = useMutation({
    mutationFn: () => call(strikeOutMonth, { body: { month, note: note.trim() } }),
    onSuccess: async () => {
      await fetchAfter({ kind: "allowance.changed" });
      tellDone(`${name} no longer counts`);
      close();
    },
  });
  return (
    <Modal title={`Exclude ${name}`} close={close}>
      <DialogForm save={strike} submit="Exclude month" onSubmit={() => strike.mutate()} close={close}>
        <p>
          The month then counts as within its limit, and a suspension based on it ends immediately. This cannot be
          undone. The audit log records it with your name.
        </p>
        <TextField
          label="Reason"
          required
          pattern=".*\S.*"
          lengthMax={noteLengthMax}
          placeholder="Fake installs with the key of the web shop"
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </DialogForm>
    </Modal>
  );
}
