import { getDeliveryCurl, resendDelivery, skipDelivery } from "@lodge/contract/calls.generated";
import type { Delivery } from "@lodge/contract/dashboard/deliveries";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { Copy, Ellipsis, RotateCw, SkipForward } from "lucide-react";
import { type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import { useSession } from "../../session/use-session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copyable.tsx";
import { DropMenu, MenuItem } from "../../ui/menu.tsx";
import { Modal } from "../../ui/modal.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { Attempts } from "./attempts.tsx";
import { DeliveryProgress, DeliveryState } from "./delivery-state.tsx";
import { isPosting } from "./subscriber-kinds.tsx";

/**
 * A delivery with its attempts, labelled by `children`. Owners and admins also see its actions, which invalidate the
 * queries under `stale`.
 */
export function DeliveryRow({
  delivery,
  stale,
  children,
}: {
  delivery: Delivery;
  stale: QueryKey;
  children: ReactNode;
}) {
  const { organisation } = useSession();
  const queryClient = useQueryClient();
  const [curl, setCurl] = useState<string>();
  const params = { deliveryId: delivery.id };
  const resend = useMutation({
    mutationFn: () => call(resendDelivery, { params }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: stale });
      tellDone("The delivery is being resent");
    },
    onError: (error) => tellFailed("Could not resend the delivery", error),
  });
  const skip = useMutation({
    mutationFn: () => call(skipDelivery, { params }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: stale });
      tellDone("Delivery skipped");
    },
    onError: (error) => tellFailed("Could not skip the delivery", error),
  });
  const showCurl = useMutation({
    mutationFn: () => call(getDeliveryCurl, { params }),
    onSuccess: ({ command }) => setCurl(command ?? ""),
    onError: (error) => tellFailed("Could not create the curl command", error),
  });
  return (
    <li className="far-off px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="flex min-w-0 flex-1 basis-40 items-center gap-2">{children}</div>
        {delivery.isReplay && <span className="text-sm text-muted">Replayed</span>}
        <div className="flex items-center gap-3">
          <DeliveryState delivery={delivery} />
          {organisation.role !== "member" && (
            <DropMenu
              trigger={
                <IconButton label={`Actions for the delivery to ${delivery.subscriber.receiver}`}>
                  <Ellipsis aria-hidden className="size-4" />
                </IconButton>
              }
            >
              <MenuItem
                disabled={!delivery.subscriber.enabled || resend.isPending || delivery.isUnderWay}
                onClick={() => resend.mutate()}
              >
                <RotateCw aria-hidden className="size-4" /> Resend
              </MenuItem>
              {delivery.settledAt === null && (
                <MenuItem disabled={skip.isPending} onClick={() => skip.mutate()}>
                  <SkipForward aria-hidden className="size-4" />
                  Skip
                </MenuItem>
              )}
              {isPosting(delivery.subscriber.kind) && (
                <MenuItem onClick={() => showCurl.mutate()}>
                  <Copy aria-hidden className="size-4" />
                  Copy as curl
                </MenuItem>
              )}
            </DropMenu>
          )}
        </div>
      </div>
      <details>
        <summary className="w-fit cursor-pointer">
          <DeliveryProgress delivery={delivery} />
        </summary>
        <div className="py-2 pl-4">
          <Attempts delivery={delivery} />
        </div>
      </details>
      {curl !== undefined && (
        <Modal title="The delivery as a curl command" close={() => setCurl(undefined)}>
          <div className="flex flex-col gap-4">
            <p className="text-sm text-muted">
              The signature is valid for a few minutes. The request comes from the machine on which you run the command.
            </p>
            <Copyable title="Command" text={curl} />
            <div className="flex justify-end">
              <Button onClick={() => setCurl(undefined)}>Done</Button>
            </div>
          </div>
        </Modal>
      )}
    </li>
  );
}
