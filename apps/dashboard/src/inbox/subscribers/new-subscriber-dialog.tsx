import { createSubscriber } from "@lodge/contract/calls.generated";
import type { SubscriberList } from "@lodge/contract/dashboard/subscribers";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Copyable } from "../../ui/copyable.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Modal } from "../../ui/modal.tsx";
import { draftOf, FilterFields, filterOf } from "./filter-fields.tsx";
import { LabelledChoice } from "./labelled-choice.tsx";
import { PaceFields, paceOf, sentPace } from "./pace-fields.tsx";
import { noPlace, PlaceFields, sentPlace } from "./place-fields.tsx";
import { type SubscriberKind, subscriberLabels } from "./subscriber-kinds.tsx";
import { TryOut } from "./try-out.tsx";

const kinds = Object.entries(subscriberLabels).map(([value, label]) => ({ value: value as SubscriberKind, label }));

/** Creates a subscriber. A test can be sent to its receiver first. */
export function NewSubscriberDialog({ apps, close }: { apps: SubscriberList["apps"]; close: () => void }) {
  const navigate = useNavigate();
  const [appId, setAppId] = useState(apps[0]?.id ?? "");
  const [kind, setKind] = useState<SubscriberKind>("webhook");
  const [place, setPlace] = useState(noPlace);
  const [secret] = useState(makeSecret);
  const [pace, setPace] = useState(paceOf());
  const [filter, setFilter] = useState(draftOf(null));
  const create = useMutation({
    mutationFn: () =>
      call(createSubscriber, {
        params: { appId },
        body: {
          kind,
          ...sentPlace(kind, place),
          ...(kind === "webhook" && { secret }),
          filter: filterOf(filter),
          ...sentPace(pace),
        },
      }),
    gcTime: 0, // the secret is dropped with the dialog
    onSuccess: async ({ subscriber }) => {
      await fetchAfter({ kind: "subscribers.changed" });
      await navigate({ to: "/subscribers/$subscriberId", params: { subscriberId: subscriber.id } });
    },
  });
  return (
    <Modal title="New subscriber" close={close}>
      <DialogForm save={create} submit="Create" onSubmit={() => create.mutate()} close={close}>
        {apps.length > 1 && (
          <LabelledChoice
            label="App"
            options={apps.map(({ id, name }) => ({ value: id, label: name }))}
            value={appId}
            onChange={setAppId}
          />
        )}
        <LabelledChoice
          label="Kind"
          options={kinds}
          value={kind}
          onChange={(next) => {
            setKind(next);
            setPlace(noPlace); // a URL belongs to one kind
          }}
        />
        <PlaceFields kind={kind} place={place} change={setPlace} />
        <FilterFields draft={filter} change={setFilter} />
        <PaceFields kind={kind} draft={pace} change={setPace} />
        {kind === "webhook" && (
          <>
            <Copyable title="Signing secret" text={secret} />
            <p className="-mt-2 text-xs text-muted">
              Your receiver verifies each message with this secret. It is shown only once. If you lose it, rotate it.
            </p>
          </>
        )}
        {kind !== "board" && (
          <TryOut
            appId={appId}
            message={{ kind, url: "", ...sentPlace(kind, place), ...(kind === "webhook" && { secret }) }}
          />
        )}
      </DialogForm>
    </Modal>
  );
}

const secretBytes = 32;

function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
