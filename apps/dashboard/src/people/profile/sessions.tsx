import { endOtherSessions, endSession, listSessions } from "@lodge/contract/calls.generated";
import type { OwnSession } from "@lodge/contract/dashboard/access";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call, isRefused } from "../../api/call.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { browserName } from "./browser-name.ts";

/** The person's sessions, with buttons that end one of them or all others. */
export function Sessions() {
  const sessions = useQuery(query(listSessions));
  const refetch = () => sessions.refetch();
  const endOthers = useMutation({
    mutationFn: () => call(endOtherSessions),
    onSuccess: async () => {
      tellDone("You are signed out everywhere else");
      await refetch();
    },
  });
  return (
    <Section title="Where you are signed in">
      {sessions.isError && !sessions.data && <LoadError error={sessions.error} retry={() => void refetch()} />}
      {sessions.isPending && <Skeleton className="h-16" />}
      {sessions.data && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" aria-label="Sessions" className="divide-y divide-line">
          {sessions.data.sessions.map((session) => (
            <SessionRow key={session.id} session={session} refetch={refetch} />
          ))}
        </ul>
      )}
      <FormError error={endOthers.error} />
      <Button
        className="self-start"
        busy={endOthers.isPending}
        disabled={sessions.data?.sessions.length === 1}
        onClick={() => endOthers.mutate()}
      >
        Sign out everywhere else
      </Button>
    </Section>
  );
}

function SessionRow({ session, refetch }: { session: OwnSession; refetch: () => Promise<unknown> }) {
  const { id, isThis, userAgent, address, signedInAt, usedAt } = session;
  const name = browserName(userAgent);
  const end = useMutation({
    mutationFn: () =>
      call(endSession, { params: { sessionId: id } }).catch((error: unknown) => {
        if (!isRefused(error, "session_not_found")) throw error; // ended already
      }),
    onSuccess: async () => {
      tellDone(`Signed out: ${name}`);
      await refetch();
    },
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5 first:pt-0">
      <div className="min-w-0">
        <p className="font-medium" title={userAgent ?? undefined}>
          {name}
        </p>
        <p className="text-sm text-muted wrap-anywhere">
          {address && `${address} · `}signed in <Time at={signedInAt} />
          {!isThis && (
            <>
              {" · "}last used <Time at={usedAt} />
            </>
          )}
        </p>
        <FormError error={end.error} />
      </div>
      {isThis ? (
        <span className="text-sm text-muted">This session</span>
      ) : (
        <Button
          aria-label={`Sign out: ${name}, ${address ?? "address unknown"}`}
          busy={end.isPending}
          onClick={() => end.mutate()}
        >
          Sign out
        </Button>
      )}
    </li>
  );
}
