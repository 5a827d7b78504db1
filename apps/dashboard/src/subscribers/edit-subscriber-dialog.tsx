import { changeSubscriber } from "@lodge/contract/calls.generated";
import type { Subscriber } from "@lodge/contract/dashboard/subscribers";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/modal.tsx";
import { FormError } from "../ui/notice.tsx";
import { draftOf, FilterFields, filterOf } from "./filter-fields.tsx";
import { PlaceFields } from "./place-fields.tsx";
import { TryOut } from "./try-out.tsx";

/** Changes where a subscriber is told, and of what. */
export function EditSubscriberDialog({ subscriber, close }: { subscriber: Subscriber; close: () => void }) {
  const { id, app, kind } = subscriber;
  const [place, setPlace] = useState({
    url: subscriber.url ?? "",
    boardId: subscriber.boardId ?? "",
    columnId: subscriber.columnId ?? "",
  });
  const [filter, setFilter] = useState(draftOf(subscriber.filter));
  const save = useMutation({
    mutationFn: () =>
      call(changeSubscriber, {
        params: { subscriberId: id },
        body: { ...(kind === "board" ? { columnId: place.columnId } : { url: place.url }), filter: filterOf(filter) },
      }),
    onSuccess: async () => {
      await fetchAfter({ kind: "subscribers.changed" });
      close();
    },
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal title="Edit the subscriber" close={close}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <PlaceFields kind={kind} place={place} change={setPlace} />
        <FilterFields draft={filter} change={setFilter} />
        {kind !== "board" && <TryOut appId={app.id} message={{ kind, url: place.url, subscriberId: id }} />}
        <FormError error={save.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Modal>
  );
}
