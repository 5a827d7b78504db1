import { Component, type ErrorInfo, type ReactNode } from "react";
import type { Lodge } from "./types.ts";

type Props = {
  lodge: Lodge;
  /** Shown instead of children that failed; `reset` renders them again. Defaults to nothing. */
  fallback?: ReactNode | ((error: unknown, reset: () => void) => ReactNode);
  children?: ReactNode;
};

type State = { failed: { error: unknown } | undefined };

/** Reports render errors of its children with the component stack, and shows `fallback`. */
export class LodgeErrorBoundary extends Component<Props, State> {
  override state: State = { failed: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error } };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    send(this.props.lodge, "boundary", error, info);
  }

  override render(): ReactNode {
    const { failed } = this.state;
    const { fallback = null, children } = this.props;
    if (!failed) return children;
    return typeof fallback === "function"
      ? fallback(failed.error, () => this.setState({ failed: undefined }))
      : fallback;
  }
}

type Handler = (error: unknown, info: ErrorInfo) => void;

/** Options for React 19's `createRoot` and `hydrateRoot`: report the errors that React handles, and still log them. */
export function reactErrorHandlers(
  lodge: Lodge,
): Record<"onUncaughtError" | "onCaughtError" | "onRecoverableError", Handler> {
  const handler =
    (how: string): Handler =>
    (error, info) => {
      console.error(error, info.componentStack);
      send(lodge, how, error, info);
    };
  return {
    onUncaughtError: handler("uncaught"),
    onCaughtError: handler("caught"),
    onRecoverableError: handler("recoverable"),
  };
}

/** The reported errors: a boundary and the root's handlers both receive the same error. */
const sent = new WeakSet<object>();

function send(lodge: Lodge, how: string, error: unknown, { componentStack }: ErrorInfo) {
  if (typeof error === "object" && error) {
    if (sent.has(error)) return;
    sent.add(error);
  }
  lodge.report({ error, kind: "crash", tags: { react: how }, context: { componentStack } }).catch(() => {});
}
