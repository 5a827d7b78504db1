import { confirmSubscription, getSubscription } from "@lodge/contract/calls.generated";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { call, isRefused } from "../../api/call.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { FrontPage } from "./front-page.tsx";

/** Confirms an e-mail subscriber by its link. Needs a click on a button, because e-mail scanners open links. */
export function SubscriptionPage() {
  const { secret } = useParams({ from: "/subscriptions/$secret" });
  const link = useQuery({ ...query(getSubscription, { params: { secret } }), refetchOnWindowFocus: false });
  const confirm = useMutation({ mutationFn: () => call(confirmSubscription, { params: { secret } }) });
  if (confirm.isSuccess) {
    return (
      <FrontPage title="Confirmed" hint="Reports are sent to your address from now on. You can close this page." />
    );
  }
  if (isRefused(link.error ?? confirm.error, "subscription_not_found")) {
    return (
      <FrontPage
        title="This link no longer works"
        hint="It has expired, or it was used or replaced by a newer one. Ask for a new one."
      />
    );
  }
  if (link.isError) return <LoadError error={link.error} retry={() => void link.refetch()} />;
  if (!link.data) return null;
  const { email, appName, organisationName } = link.data;
  return (
    <FrontPage
      title={`Receive reports from ${appName}?`}
      hint={`${organisationName} wants to send the reports to ${email}. If you do not want this, close this page.`}
    >
      <FormError error={confirm.error} />
      <Button look="primary" busy={confirm.isPending} className="h-9" onClick={() => confirm.mutate()}>
        Confirm
      </Button>
    </FrontPage>
  );
}
