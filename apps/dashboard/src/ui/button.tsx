import { type ComponentProps, forwardRef } from "react";

const looks = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover font-medium",
  secondary: "bg-surface text-ink border border-line-strong/60 hover:bg-hover font-medium",
  quiet: "text-muted hover:bg-hover hover:text-ink",
  danger: "bg-danger text-on-danger hover:bg-danger-hover font-medium",
} as const;

type Look = { look?: keyof typeof looks; small?: boolean };

/** The classes of a button, for links that look like one. */
export const buttonClass = ({ look = "secondary", small = false }: Look = {}) =>
  `inline-flex items-center justify-center gap-1.5 rounded-md whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-50 disabled:pointer-events-none ${
    small ? "h-7 px-2 text-sm" : "h-8 px-3 text-base"
  } ${looks[look]}`;

/** A button. `busy` while its action is running. */
export const Button = forwardRef<HTMLButtonElement, ComponentProps<"button"> & Look & { busy?: boolean }>(
  function Button({ look, small, busy = false, className = "", children, ...rest }, ref) {
    return (
      <button
        ref={ref}
        type="button"
        aria-busy={busy || undefined}
        disabled={busy}
        {...rest}
        className={`${buttonClass({ ...(look && { look }), ...(small && { small }) })} ${className}`}
      >
        {children}
      </button>
    );
  },
);

/** A button with only an icon. `label` says what it does. */
export const IconButton = forwardRef<HTMLButtonElement, ComponentProps<"button"> & { label: string }>(
  function IconButton({ label, className = "", ...rest }, ref) {
    return (
      <button
        ref={ref}
        type="button"
        aria-label={label}
        title={label}
        {...rest}
        className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors duration-100 hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-50 ${className}`}
      />
    );
  },
);
