import { nameLengthMax } from "@lodge/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { DialogForm } from "./dialog-form.tsx";
import { TextField } from "./field.tsx";
import { Modal } from "./modal.tsx";

/** Asks for a name, by default of at most 80 characters. Stays open with the error if `act` fails. */
export function NameDialog({
  title,
  name: before = "",
  submit,
  lengthMax = nameLengthMax,
  act,
  close,
  children,
}: {
  title: string;
  name?: string;
  submit: string;
  lengthMax?: number;
  act: (name: string) => Promise<unknown>;
  close: () => void;
  children?: ReactNode;
}) {
  const [name, setName] = useState(before);
  const save = useMutation({ mutationFn: act, onSuccess: close });
  return (
    <Modal title={title} close={close}>
      <DialogForm save={save} submit={submit} onSubmit={() => save.mutate(name.trim())} close={close}>
        <TextField
          label="Name"
          required
          pattern=".*\S.*"
          lengthMax={lengthMax}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {children}
      </DialogForm>
    </Modal>
  );
}
