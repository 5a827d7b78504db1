import { type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, useEffect, useState } from "react";
import { NotFound } from "../ui/not-found.tsx";
import { LoadError } from "../ui/notice.tsx";
import { switchOrganisation } from "./switch-organisation.ts";
import { useSession } from "./use-session.ts";

/**
 * Shown if something is not in the current organisation. Switches to its organisation if the person is a member there,
 * else shows that it is not found.
 */
export function Elsewhere<Place extends { organisationId: string }>({
  place: ofPlace,
  what,
  skeleton,
}: {
  place: UseQueryOptions<Place, Error, Place, QueryKey>;
  skeleton: ReactNode;
} & ComponentProps<typeof NotFound>) {
  const { organisation } = useSession();
  const place = useQuery(ofPlace);
  const elsewhere = place.data && place.data.organisationId !== organisation.id ? place.data.organisationId : undefined;
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    if (!elsewhere) return;
    const goOn = () => void switchOrganisation(elsewhere).catch(setFailure);
    if (document.hasFocus()) return goOn();
    // All tabs share the session, so a background tab must not switch the one in the foreground.
    addEventListener("focus", goOn, { once: true });
    return () => removeEventListener("focus", goOn);
  }, [elsewhere]);
  if (failure) return <LoadError error={failure} retry={() => location.reload()} />;
  if (place.isPending || elsewhere) return skeleton;
  return <NotFound what={what} />;
}
