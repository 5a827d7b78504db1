import { eraseReports } from "@lodge/contract/calls.generated";
import type { EraseReports, Erasure } from "@lodge/contract/dashboard/erasures";
import { searchLengthMax } from "@lodge/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Eraser } from "lucide-react";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { Copyable } from "../../ui/copyable.tsx";
import { TextField } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { FormError } from "../../ui/notice.tsx";
import { formatBytes, formatCount } from "../../ui/numbers.ts";
import { inboxesQuery } from "./report-queries.ts";

type By = EraseReports["by"];
const labels: Record<By, string> = { user: "User id", email: "E-mail address", install: "Install id" };
const valueLengthMax = 1_000;

/** The button with which owners and admins delete a person's data. `known` has the sender's values from a report. */
export function EraseButton({ known = {}, onErased }: { known?: Partial<Record<By, string>>; onErased?: () => void }) {
  const { organisation } = useSession();
  const [open, setOpen] = useState(false);
  if (organisation.role === "member") return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Eraser aria-hidden className="size-4" />
        Delete a person's data…
      </Button>
      {open && <EraseDialog known={known} close={() => setOpen(false)} {...(onErased && { onErased })} />}
    </>
  );
}

/** Counts the data, asks, deletes until nothing is left, and shows the result. */
function EraseDialog({
  known,
  close,
  onErased = () => {},
}: {
  known: Partial<Record<By, string>>;
  close: () => void;
  onErased?: () => void;
}) {
  const [by, setBy] = useState<By>(known.email ? "email" : known.user ? "user" : known.install ? "install" : "email");
  const [value, setValue] = useState(known[by] ?? "");
  const [sofar, setSofar] = useState<Erasure>();
  const count = useMutation({ mutationFn: (body: EraseReports) => call(eraseReports, { body }) });
  const erase = useMutation({
    mutationFn: async (body: EraseReports) => {
      for (;;) {
        const erasure = await call(eraseReports, { body });
        setSofar(erasure);
        if (erasure.finishedAt !== null) return erasure;
      }
    },
  });
  const done = () => {
    close();
    if (erase.data) onErased();
  };
  if (erase.data) {
    return (
      <Modal title="Deleted" showsOnce close={done}>
        <Counts of={erase.data} />
        <SearchLinks value={value} close={close} />
        <div className="mt-4">
          <Copyable title="Hash kept in the audit log" text={erase.data.sha256} />
        </div>
        <div className="mt-4 flex justify-end">
          <Button look="primary" onClick={done}>
            Done
          </Button>
        </div>
      </Modal>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (count.data) erase.mutate({ by, value });
    else count.mutate({ by, value, dryRun: true });
  };
  const change = (next: By, text: string) => {
    setBy(next);
    setValue(text);
    count.reset();
    erase.reset();
    setSofar(undefined);
  };
  return (
    <Modal title="Delete a person's data" close={close}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div>
          <p aria-hidden className="mb-1 text-sm font-medium">
            Identify by
          </p>
          <Choice
            label="Identify by"
            options={(Object.keys(labels) as By[]).map((option) => ({ value: option, label: labels[option] }))}
            value={by}
            onChange={(next) => change(next, known[next] ?? "")}
            className="w-48"
          />
        </div>
        <TextField
          label={labels[by]}
          required
          value={value}
          lengthMax={valueLengthMax}
          onChange={(event) => change(by, event.target.value)}
        />
        {count.data ? (
          <div role="status">
            <Counts of={sofar ?? count.data} />
            <SearchLinks value={value} close={close} />
            {count.data.events > 0 && (
              <p className="mt-3 text-sm text-muted">
                All of this is deleted permanently, from every app of this organisation. Lodge does not search the
                comments on cards.
              </p>
            )}
          </div>
        ) : (
          <p className="text-sm text-muted">
            Deletes the person’s reports from every app of this organisation, with their attachments, conversations and
            the report text on cards. Count them first to see how many there are.
          </p>
        )}
        <FormError error={erase.error ?? count.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          {count.data ? (
            <Button
              type="submit"
              look="danger"
              busy={erase.isPending}
              disabled={erase.isPending || count.data.events === 0}
            >
              Delete permanently
            </Button>
          ) : (
            <Button type="submit" look="primary" busy={count.isPending}>
              Count
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
}

/** Links that search each app for the value, to check before and after the deletion. */
function SearchLinks({ value, close }: { value: string; close: () => void }) {
  const { data } = useQuery(inboxesQuery);
  const q = `user:"${value.trim()}"`;
  if (!data || [...q].length > searchLengthMax) return null;
  return (
    <p className="mt-3 flex flex-wrap gap-x-3 text-sm">
      Search for this person in
      {data.inboxes.map(({ app }) => (
        <Link
          key={app.id}
          to="/reports/$appId"
          params={{ appId: app.id }}
          search={{ q, state: "any" }}
          onClick={close}
          className="text-accent-ink underline underline-offset-2"
        >
          {app.name}
        </Link>
      ))}
    </p>
  );
}

function Counts({ of }: { of: Erasure }) {
  const { events, attachments, attachmentBytes, messages, cards, deliveredElsewhere } = of;
  const facts = [
    [of.dryRun ? "Reports" : "Reports deleted", formatCount(events)],
    ["Attachments", attachments > 0 ? `${formatCount(attachments)} (${formatBytes(attachmentBytes)})` : "0"],
    ["Messages", formatCount(messages)],
    [of.dryRun ? "Cards with report text" : "Cards with report text removed", formatCount(cards)],
    ["Already delivered to subscribers (not deleted there)", formatCount(deliveredElsewhere)],
  ];
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1">
      {facts.map(([name, count]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="text-right tabular-nums">{count}</dd>
        </div>
      ))}
    </dl>
  );
}
