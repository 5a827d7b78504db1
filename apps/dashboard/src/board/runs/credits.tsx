import { addCredits, getCredits } from "@lodge/contract/calls.generated";
import { nameLengthMax } from "@lodge/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { TextField } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";

const kinds = {
  set: "Set by the operator of this server",
  added: "Added",
  reserved: "Used by a run",
  returned: "Returned by a run",
};

/** The credits that are left, and their history. */
export function Credits() {
  const { organisation } = useSession();
  const credits = useQuery(query(getCredits, { query: {} }));
  const [adding, setAdding] = useState(false);
  if (credits.isError && !credits.data) return <LoadError error={credits.error} retry={() => void credits.refetch()} />;
  if (!credits.data) return <Skeleton className="h-16" />;
  const { credits: left, entries } = credits.data;
  return (
    <section aria-label="Credits" className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          <span className="text-lg font-semibold tabular-nums">{left.toLocaleString()}</span>{" "}
          {left === 1 ? "credit" : "credits"} left. Each run uses one when it starts.
        </p>
        {organisation.role !== "member" && (
          <Button onClick={() => setAdding(true)}>
            <Plus aria-hidden className="size-4" />
            Add credits
          </Button>
        )}
      </div>
      {entries.length > 0 && (
        <details className="mt-3 text-sm">
          <summary className="cursor-pointer text-muted">History</summary>
          <ul className="mt-2 divide-y divide-line">
            {entries.map(({ id, kind, amount, actor, note, createdAt }) => (
              <li key={id} className="flex flex-wrap items-baseline gap-x-3 py-1">
                <span className="w-16 text-right tabular-nums">{amount > 0 ? `+${amount}` : `−${-amount}`}</span>
                <span className="flex-1">
                  {kinds[kind]}
                  {actor && ` by ${actor}`}
                  {note && `: ${note}`}
                </span>
                <span className="text-muted">
                  <Time at={createdAt} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {adding && <AddCredits close={() => setAdding(false)} />}
    </section>
  );
}

function AddCredits({ close }: { close: () => void }) {
  const [amount, setAmount] = useState("10");
  const [note, setNote] = useState("");
  const add = useMutation({
    mutationFn: () => call(addCredits, { body: { amount: Number(amount), ...(note && { note }) } }),
    onSuccess: async () => {
      await fetchAfter({ kind: "credits.changed" });
      close();
    },
  });
  return (
    <Modal title="Add credits" close={close}>
      <DialogForm save={add} submit="Add" onSubmit={() => add.mutate()} close={close}>
        <TextField
          label="Credits"
          type="number"
          min={1}
          max={1_000_000_000}
          step={1}
          required
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <TextField
          label="Reason"
          hint="Shown in the history"
          lengthMax={nameLengthMax}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </DialogForm>
    </Modal>
  );
}
