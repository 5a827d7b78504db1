import { changeSubscriber } from "@lodge/contract/calls.generated";
import type { Subscriber } from "@lodge/contract/dashboard/subscribers";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Modal } from "../../ui/modal.tsx";
import { draftOf, FilterFields, filterOf } from "./filter-fields.tsx";
import { PaceFields, paceOf, sentPace } from "./pace-fields.tsx";
import { PlaceFields, sentPlace } from "./place-fields.tsx";
import { TryOut } from "./try-out.tsx";

/** Changes the target, filter and rate limit of a subscriber. */
export function EditSubscriberDialog({ subscriber, close }: { subscriber: Subscriber; close: () => void }) {
  const { id, app, kind } = subscriber;
  const [place, setPlace] = useState({
    url: subscriber.url ?? "",
    token: "",
    boardId: subscriber.boardId ?? "",
    columnId: subscriber.columnId ?? "",
  });
  const [pace, setPace] = useState(paceOf(subscriber));
  const [filter, setFilter] = useState(draftOf(subscriber.filter));
  const save = useMutation({
    mutationFn: () =>
      call(changeSubscriber, {
        params: { subscriberId: id },
        body: {
          ...sentPlace(kind, place),
          filter: filterOf(filter),
          ...sentPace(pace),
        },
      }),
    onSuccess: async () => {
      await fetchAfter({ kind: "subscribers.changed" });
      close();
    },
  });
  return (
    <Modal title="Edit subscriber" close={close}>
      <DialogForm save={save} submit="Save" onSubmit={() => save.mutate()} close={close}>
        <PlaceFields kind={kind} place={place} change={setPlace} hasToken />
        <FilterFields draft={filter} change={setFilter} />
        <PaceFields kind={kind} draft={pace} change={setPace} />
        {kind !== "board" && (
          <TryOut appId={app.id} message={{ kind, url: "", ...sentPlace(kind, place), subscriberId: id }} />
        )}
      </DialogForm>
    </Modal>
  );
}
