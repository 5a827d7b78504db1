import { setFavourite } from "@lodge/contract/calls.generated";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Star } from "lucide-react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { boardViewsQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { IconButton } from "../../ui/button.tsx";
import { tellFailed } from "../../ui/toasts.tsx";

/** Adds a board to the person's favourites, which come first in the sidebar, or removes it. */
export function FavouriteButton({ boardId }: { boardId: string }) {
  const { user } = useSession();
  const { data } = useQuery(boardViewsQuery);
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (favourite: boolean) => call(setFavourite, { params: { boardId }, body: { favourite } }),
    onSuccess: () => fetchAfter({ kind: "views.changed", userId: user.id }),
    onError: (error) => tellFailed("Could not change your favourites", error),
  });
  const isFavourite = isPending ? variables : (data?.favouriteBoardIds.includes(boardId) ?? false);
  return (
    <IconButton
      label={isFavourite ? "Remove from favourites" : "Add to favourites"}
      onClick={() => mutate(!isFavourite)}
    >
      <Star aria-hidden className={`size-4 ${isFavourite ? "fill-current text-accent-ink" : ""}`} />
    </IconButton>
  );
}
