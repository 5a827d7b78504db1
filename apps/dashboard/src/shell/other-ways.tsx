import { signOut } from "../session/sign-out.ts";
import { switchOrganisation } from "../session/switch-organisation.ts";
import type { MemberSession } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";

/** The ways left to a person whom an organisation does not let in: other organisations, and signing out. */
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
