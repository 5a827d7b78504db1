import { changeNoticeChoices, changePassword, changeProfile, getSession } from "@lodge/contract/calls.generated";
import type { ChangeNoticeChoices, NoticeChoices } from "@lodge/contract/dashboard/notices";
import { addressLengthMax, passwordLengthMax, passwordLengthMin } from "@lodge/contract/limits";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { keyOf } from "../../api/query.ts";
import { adoptSession } from "../../session/adopt-session.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { NameForm } from "../../ui/name-form.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { noticeChoicesQuery } from "../notifications/notification-queries.ts";
import { Identities } from "./identities.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

/** A person's profile: name, password, sessions and notifications. */
export function ProfilePage() {
  const { user, isByProvider, organisation } = useSession();
  return (
    <main className="mx-auto max-w-2xl px-4 py-6 md:px-8">
      <PageHeading title="Profile" hint={user.email} />
      <div className="flex flex-col gap-8">
        {isByProvider && (
          <p className="rounded-lg border border-line bg-surface p-4">
            The identity provider of {organisation.name} has signed you in. It manages your password and second factor.
            If you also have a Lodge password, sign in with it to change your name, password and second factor.
          </p>
        )}
        {!isByProvider && <OwnName />}
        <Sent />
        {!isByProvider && (
          <>
            <Password />
            <SecondFactor />
            <Identities />
            <Sessions />
          </>
        )}
      </div>
    </main>
  );
}

function OwnName() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const rename = async (name: string) => {
    queryClient.setQueryData(keyOf(getSession), await call(changeProfile, { body: { name } }));
    tellDone("Name saved");
  };
  return (
    <Section title="Name">
      <NameForm label="Your name" name={user.name} autoComplete="name" act={rename} />
      <p className="text-xs text-muted">Earlier activity keeps your previous name.</p>
    </Section>
  );
}

const kinds = [
  ["mentioned", "Somebody mentions you"],
  ["assigned", "A card is assigned to you"],
  ["commented", "Somebody comments on a card you follow"],
  ["run_finished", "The agent ends a run on a card you follow"],
  ["run_asked", "The agent asks a question"],
  ["run_held", "The agent is waiting"],
  ["subscriber_disabled", "A subscriber is disabled"],
  ["delivery_dead", "A delivery fails permanently"],
  ["quota_warning", "Installs are near the limit"],
  ["organisation_suspended", "Reports are refused"],
  ["disk_low", "The server's disk is nearly full"],
  ["problem_new", "A new problem is found"],
  ["problem_back", "A resolved problem reopens"],
  ["problem_spike", "A problem occurs often"],
] as const;
/** The kinds of notifications that only owners and admins get. */
const adminKinds: ReadonlySet<string> = new Set([
  "subscriber_disabled",
  "delivery_dead",
  "quota_warning",
  "organisation_suspended",
  "disk_low",
]);

function Sent() {
  const { organisation } = useSession();
  const choices = useQuery(noticeChoicesQuery);
  return (
    <Section title="Notifications">
      <p className="text-muted">
        All notifications appear in Lodge. Choose which ones to also get by e-mail or Slack if they are still unread
        after a minute. These settings apply to {organisation.name}.
      </p>
      {choices.isError && <LoadError error={choices.error} retry={() => void choices.refetch()} />}
      {choices.isPending && <Skeleton className="h-32" />}
      {choices.data && <Choices choices={choices.data} />}
    </Section>
  );
}

function Choices({ choices }: { choices: NoticeChoices }) {
  const manages = useSession().organisation.role !== "member";
  const queryClient = useQueryClient();
  const [slackUrl, setSlackUrl] = useState(choices.slackUrl ?? "");
  const save = useMutation({
    mutationFn: (body: ChangeNoticeChoices) => call(changeNoticeChoices, { body }),
    scope: { id: changeNoticeChoices.id },
    onSuccess: (chosen) => queryClient.setQueryData(noticeChoicesQuery.queryKey, chosen),
  });
  const shown = save.isPending ? { ...choices, ...save.variables } : choices;
  const toggle = (way: "mail" | "slack", kind: (typeof kinds)[number][0]) => {
    const chosen = shown[way];
    save.mutate({ [way]: chosen.includes(kind) ? chosen.filter((other) => other !== kind) : [...chosen, kind] });
  };
  const box = (way: "mail" | "slack", kind: (typeof kinds)[number][0], label: string, off: boolean) => (
    <td className="w-20 text-center">
      <input
        type="checkbox"
        aria-label={`${label}: ${way === "mail" ? "by e-mail" : "to Slack"}`}
        disabled={off}
        checked={shown[way].includes(kind)}
        onChange={() => toggle(way, kind)}
        className="size-4 accent-accent"
      />
    </td>
  );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const url = slackUrl.trim();
    save.mutate(url ? { slackUrl: url } : { slackUrl: null, slack: [] });
  };
  return (
    <>
      <table className="w-full">
        <thead className="text-sm text-muted">
          <tr>
            <th className="py-1 text-left font-normal">When</th>
            <th className="font-normal">E-mail</th>
            <th className="font-normal">Slack</th>
          </tr>
        </thead>
        <tbody>
          {kinds
            .filter(([kind]) => manages || !adminKinds.has(kind))
            .map(([kind, label]) => (
              <tr key={kind} className="border-t border-line">
                <th scope="row" className="py-1.5 text-left font-normal">
                  {label}
                </th>
                {box("mail", kind, label, !choices.sendsMail)}
                {box("slack", kind, label, choices.slackUrl === null)}
              </tr>
            ))}
        </tbody>
      </table>
      {!choices.sendsMail && (
        <p className="text-sm text-muted">This server does not send e-mail. Its operator can set it up.</p>
      )}
      <form onSubmit={onSubmit} className="flex flex-wrap items-end gap-2">
        <TextField
          label="Slack incoming webhook"
          type="url"
          className="min-w-48 flex-1"
          autoComplete="off"
          placeholder="https://hooks.slack.com/services/…"
          lengthMax={addressLengthMax}
          value={slackUrl}
          onChange={(event) => setSlackUrl(event.target.value)}
        />
        <Button
          type="submit"
          className="h-9"
          disabled={slackUrl.trim() === (choices.slackUrl ?? "")}
          busy={save.isPending}
        >
          Save
        </Button>
      </form>
      <FormError error={save.error} />
    </>
  );
}

function Password() {
  const [currentPassword, setCurrent] = useState("");
  const [password, setNew] = useState("");
  const save = useMutation({
    mutationFn: () => call(changePassword, { body: { currentPassword, password } }),
    onSuccess: async (session) => {
      setCurrent("");
      setNew("");
      tellDone("Password changed. You are signed out everywhere else");
      await adoptSession(session);
    },
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Section title="Password">
      <form onSubmit={onSubmit} className="flex flex-col gap-3">
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          lengthMax={passwordLengthMax}
          value={currentPassword}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={passwordLengthMin}
          lengthMax={passwordLengthMax}
          hint={`At least ${passwordLengthMin} characters, and not a common password. You are signed out everywhere else.`}
          value={password}
          onChange={(event) => setNew(event.target.value)}
        />
        <FormError error={save.error} />
        <Button type="submit" className="self-start" busy={save.isPending}>
          Change password
        </Button>
      </form>
    </Section>
  );
}
