import { nameLengthMax } from "@lodge/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { Modal } from "./modal.tsx";
import { FormError } from "./notice.tsx";

/** Asks for a name, of at most 80 characters where nothing else is said; stays open with the reason where `act` fails. */
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
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(name.trim());
  };
  return (
    <Modal title={title} close={close}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          pattern=".*\S.*"
          lengthMax={lengthMax}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {children}
        <FormError error={save.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {submit}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
