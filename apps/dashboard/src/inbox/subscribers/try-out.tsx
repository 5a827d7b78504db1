import { testSubscriber } from "@lodge/contract/calls.generated";
import type { TestSubscriber } from "@lodge/contract/dashboard/subscribers";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/notice.tsx";

/** A button that sends a test message about a made-up report, and the result. */
export function TryOut({ appId, message }: { appId: string; message: TestSubscriber }) {
  const test = useMutation({ mutationFn: () => call(testSubscriber, { params: { appId }, body: message }) });
  const { data: outcome } = test;
  return (
    <div className="flex flex-col items-start gap-2">
      <Button small busy={test.isPending} disabled={message.url === "" || test.isPending} onClick={() => test.mutate()}>
        Send a test
      </Button>
      <div role="status" className="w-full text-sm">
        {test.isPending && <p className="text-muted">Sending…</p>}
        {outcome && outcome.reason === null && (
          <p className="rounded-md bg-accent-soft px-3 py-2 text-accent-ink">
            The test message arrived{outcome.status === null ? "" : `: HTTP ${outcome.status}`} after{" "}
            {outcome.durationMs} ms.
          </p>
        )}
        {outcome && outcome.reason !== null && (
          <div className="rounded-md bg-danger-soft px-3 py-2 wrap-anywhere text-danger-ink">
            <p>
              {outcome.reason} ({outcome.durationMs} ms)
            </p>
            {outcome.response && (
              <pre className="mt-1 max-h-32 overflow-auto font-mono text-xs">{outcome.response}</pre>
            )}
          </div>
        )}
      </div>
      <FormError error={test.error} />
    </div>
  );
}
