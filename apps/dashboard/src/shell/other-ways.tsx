import { signOut } from "../session/sign-out.ts";
import { switchOrganisation } from "../session/switch-organisation.ts";
import type { MemberSession } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";

/** The options of a person without access to an organisation: their other organisations, and signing out. */
export function OtherWays({ session: { organisation, organisations } }: { session: MemberSession }) {
  return (
    <div className="mt-8 flex flex-wrap gap-2 border-t border-line pt-4">
      {organisations
        .filter(({ id }) => id !== organisation.id)
        .map(({ id, name }) => (
          <Button key={id} onClick={() => void switchOrganisation(id)}>
            Go to {name}
          </Button>
        ))}
      <Button onClick={() => void signOut()}>Sign out</Button>
    </div>
  );
}
