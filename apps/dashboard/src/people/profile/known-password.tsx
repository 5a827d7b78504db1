import { passwordLengthMax } from "@lodge/contract/limits";
import { TextField } from "../../ui/field.tsx";

/** The field for the current password, asked for before sensitive changes in case the session was left open. */
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
