import { Subscribers } from "../../inbox/subscribers/subscribers.tsx";
import { useSession } from "../../session/use-session.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Hooks } from "./hooks.tsx";

/** The subscribers of apps and the webhooks of the organisation. Only for owners and admins. */
export function IntegrationsPage() {
  const { organisation } = useSession();
  return (
    <main className="mx-auto max-w-4xl px-4 py-8 md:px-8">
      {organisation.role === "member" ? (
        <PageHeading
          title="Integrations are for owners and admins"
          hint={`You are a member of ${organisation.name}. Ask an owner or admin to add an integration.`}
        />
      ) : (
        <>
          <PageHeading
            title="Integrations"
            hint="Subscribers receive the reports from an app, and webhooks receive ticket events and the organisation's alerts."
          />
          <Subscribers />
          <Hooks />
        </>
      )}
    </main>
  );
}
