import { passwordLengthMax } from "@lodge/contract/limits";
import { TextField } from "../../ui/field.tsx";

/** Asks for the password again, before what a session that was left open must not do. */
export function KnownPassword({
  value,
  onChange,
  autoFocus = false,
}: {
  value: string;
  onChange: (password: string) => void;
  autoFocus?: boolean;
}) {
  return (
    <TextField
      label="Your password"
      type="password"
      autoComplete="current-password"
      autoFocus={autoFocus}
      required
      lengthMax={passwordLengthMax}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
