import { useNavigate } from "@tanstack/react-router";
import { Check, ChevronsUpDown } from "lucide-react";
import { switchOrganisation } from "../session/switch-organisation.ts";
import { useSession } from "../session/use-session.ts";
import { Logo } from "../ui/logo.tsx";
import { DropMenu, MenuGroup, MenuItem } from "../ui/menu.tsx";
import { tellFailed } from "../ui/toasts.tsx";

const rowClass = "flex h-9 w-full min-w-0 items-center gap-2 rounded-md px-2";

/** The name of the organisation. A member of several can switch between them here. */
export function OrganisationSwitcher() {
  const { organisation, organisations } = useSession();
  const navigate = useNavigate();
  const title = (
    <>
      <Logo className="size-5 shrink-0" />
      <span className="min-w-0 flex-1 truncate text-left font-semibold">{organisation.name}</span>
    </>
  );
  if (organisations.length < 2) return <div className={rowClass}>{title}</div>;
  const change = async (id: string) => {
    try {
      await switchOrganisation(id);
      await navigate({ to: "/" });
    } catch (error) {
      tellFailed("Could not switch organisations", error);
    }
  };
  return (
    <DropMenu
      trigger={
        <button
          type="button"
          aria-label={`Organisation: ${organisation.name}`}
          className={`${rowClass} hover:bg-hover`}
        >
          {title}
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      <MenuGroup label="Organisations">
        {organisations.map(({ id, name }) => (
          <MenuItem key={id} onClick={() => void change(id)}>
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {id === organisation.id && <Check aria-label="(current)" className="size-4 text-accent-ink" />}
          </MenuItem>
        ))}
      </MenuGroup>
    </DropMenu>
  );
}
