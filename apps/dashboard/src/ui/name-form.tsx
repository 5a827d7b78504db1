import { nameLengthMax } from "@lodge/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { FormError } from "./notice.tsx";

/** A field for a name and the button that saves it, on one line, with the error below if `act` fails. */
export function NameForm({
  label = "Name",
  name: before,
  autoComplete,
  act,
}: {
  label?: string;
  name: string;
  autoComplete?: string;
  act: (name: string) => Promise<unknown>;
}) {
  const [name, setName] = useState(before);
  const save = useMutation({ mutationFn: act });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(name.trim());
  };
  return (
    <>
      <form onSubmit={onSubmit} className="flex flex-wrap items-end gap-2">
        <TextField
          label={label}
          className="min-w-48 flex-1"
          autoComplete={autoComplete}
          required
          pattern=".*\S.*"
          lengthMax={nameLengthMax}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" className="h-9" disabled={name.trim() === before} busy={save.isPending}>
          Save
        </Button>
      </form>
      <FormError error={save.error} />
    </>
  );
}
