import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from "react";
import { tooLong } from "./length.ts";

/** The classes of all text controls. */
export const controlClass =
  "w-full rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink placeholder:text-muted aria-invalid:border-danger focus:outline-2 focus:outline-offset-0 focus:outline-accent";

/**
 * A labelled text input, with a hint or an error below. A text longer than `lengthMax` code points is not truncated; it
 * makes the form invalid.
 */
export function TextField({
  label,
  hint,
  lengthMax = Number.POSITIVE_INFINITY,
  className = "",
  value,
  ...input
}: Omit<ComponentProps<"input">, "value" | "maxLength"> & {
  label: string;
  hint?: ReactNode;
  lengthMax?: number;
  value: string;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const error = tooLong(value, lengthMax);
  const below = error ?? hint;
  useEffect(() => field.current?.setCustomValidity(error ?? ""), [error]);
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <input
        ref={field}
        id={id}
        value={value}
        aria-invalid={error ? true : undefined}
        aria-describedby={below ? `${id}-below` : undefined}
        {...input}
        className={`${controlClass} h-9`}
      />
      {below && (
        <p id={`${id}-below`} className={`mt-1 text-xs ${error ? "text-danger-ink" : "text-muted"}`}>
          {below}
        </p>
      )}
    </div>
  );
}
