import { changeFollowing, getFollowing } from "@lodge/contract/calls.generated";
import type { Following } from "@lodge/contract/dashboard/work";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Bell, BellOff } from "lucide-react";
import { call } from "../../api/call.ts";
import { query } from "../../api/query.ts";
import { MenuItem } from "../../ui/menu.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";

/** The menu item that follows or mutes a card. */
export function FollowItem({ ticketId }: { ticketId: string }) {
  const queryClient = useQueryClient();
  const following = query(getFollowing, { params: { ticketId } });
  const { data } = useQuery(following);
  const { mutate } = useMutation({
    mutationFn: (state: Following["state"]) => call(changeFollowing, { params: { ticketId }, body: { state } }),
    onSuccess: (changed) => {
      queryClient.setQueryData(following.queryKey, changed);
      tellDone(changed.isFollowing ? "You follow this card" : "You are only notified of mentions");
    },
    onError: (error) => tellFailed("Could not follow or mute the card", error),
  });
  return data?.isFollowing ? (
    <MenuItem onClick={() => mutate("muted")}>
      <BellOff aria-hidden className="size-4" />
      Mute
    </MenuItem>
  ) : (
    <MenuItem disabled={!data} onClick={() => mutate("watching")}>
      <Bell aria-hidden className="size-4" /> Follow
    </MenuItem>
  );
}
