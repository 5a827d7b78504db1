import { Component, type ErrorInfo, type ReactNode } from "react";
import type { Lodge } from "./types.ts";

type Props = {
  lodge: Lodge;
  /** Shown instead of the children that failed; `reset` renders these again. None: nothing is shown. */
  fallback?: ReactNode | ((error: unknown, reset: () => void) => ReactNode);
  children?: ReactNode;
};

type State = { failed: { error: unknown } | undefined };

/** Reports errors of rendering below it, with the component stack, and shows `fallback`. */
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

/** For `createRoot` and `hydrateRoot` of React 19: reports what React catches or recovers from, and logs it as React does. */
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

/** A boundary and the handlers of the root are both told of the same error. */
const sent = new WeakSet<object>();

function send(lodge: Lodge, how: string, error: unknown, { componentStack }: ErrorInfo) {
  if (typeof error === "object" && error) {
    if (sent.has(error)) return;
    sent.add(error);
  }
  lodge.report({ error, kind: "crash", tags: { react: how }, context: { componentStack } }).catch(() => {});
}
