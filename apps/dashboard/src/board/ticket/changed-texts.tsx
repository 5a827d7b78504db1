import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isRefused, messageOf } from "../../api/call.ts";
import { textsQuery } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TextDifference } from "./text-difference.tsx";

/** The texts of a ticket before and after an entry of the history. */
export function ChangedTexts({ ticketId, activityId }: { ticketId: string; activityId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button small look="quiet" className="-ml-2" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Hide changes" : "Show changes"}
      </Button>
      {open && <Difference ticketId={ticketId} activityId={activityId} />}
    </>
  );
}

function Difference({ ticketId, activityId }: { ticketId: string; activityId: string }) {
  const { data, error } = useQuery(textsQuery(ticketId, activityId));
  if (error) {
    return (
      <p role="alert">
        {isRefused(error, "text_not_found") ? "This version of the text is no longer available." : messageOf(error)}
      </p>
    );
  }
  if (!data) return <Skeleton className="h-16" />;
  return data.texts.map(({ field, before, after }) => (
    <TextDifference key={field} before={before} after={after} label={`Changes to the ${field}`} />
  ));
}
