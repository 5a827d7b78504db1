import { type ComponentProps, type ReactNode, useId } from "react";

/** How every control that takes text looks. */
export const controlClass =
  "w-full rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink placeholder:text-muted aria-invalid:border-danger focus:outline-2 focus:outline-offset-0 focus:outline-accent";

/** A labelled line of text, with a hint or what is wrong with it below. */
export function TextField({
  label,
  hint,
  error,
  className = "",
  ...input
}: ComponentProps<"input"> & { label: string; hint?: ReactNode; error?: string | undefined }) {
  const id = useId();
  const below = error ?? hint;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
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
