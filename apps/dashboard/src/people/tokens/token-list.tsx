import type { Project } from "@lodge/contract/dashboard/boards";
import type { ApiToken } from "@lodge/contract/dashboard/tokens";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { IconButton } from "../../ui/button.tsx";
import { DropMenu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Time } from "../../ui/time.tsx";
import { permissionLabels } from "./permission-labels.ts";

const cellClass = "px-3 py-1 align-top md:py-2.5";

/** The active tokens as a table, stacked on a narrow screen. */
export function TokenList({
  tokens,
  projects,
  edit,
  revoke,
}: {
  tokens: ApiToken[];
  projects: Project[];
  edit: (token: ApiToken) => void;
  revoke: (token: ApiToken) => void;
}) {
  return (
    <div className="rounded-lg border border-line bg-surface">
      <table className="block w-full text-left md:table">
        <thead className="hidden text-xs text-muted md:table-header-group">
          <tr className="border-b border-line">
            {["Name", "Access", "Created", "Last used"].map((name) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium">
                {name}
              </th>
            ))}
            <th scope="col" className="w-12">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="block md:table-row-group">
          {tokens.map((token) => (
            <tr key={token.id} className="relative block border-line not-last:border-b p-1 md:table-row md:p-0">
              <th scope="row" className={`${cellClass} block font-normal md:table-cell`}>
                <span className="block pr-8 font-medium wrap-anywhere">{token.name}</span>
                <code className="font-mono text-xs text-muted">{token.prefix}…</code>
              </th>
              <td className={`${cellClass} block md:table-cell`}>
                <span className="block wrap-anywhere">{scopeInWords(token, projects)}</span>
                <span className="text-xs text-muted">
                  {token.permissions.map((permission) => permissionLabels[permission]).join(", ")}
                </span>
              </td>
              <td className={`${cellClass} inline-block text-muted md:table-cell`}>
                <span className="md:sr-only">Created </span>
                <Time at={token.createdAt} />
              </td>
              <td className={`${cellClass} inline-block text-muted md:table-cell`}>
                <span className="md:sr-only">Last used </span>
                {token.lastUsedAt ? <Time at={token.lastUsedAt} /> : "never"}
                {token.unusedFor90Days && (
                  <span className="mt-1 block w-fit rounded-sm bg-warn-soft px-1.5 text-xs font-medium text-warn-ink">
                    Unused for 90 days
                  </span>
                )}
              </td>
              <td className="absolute top-2 right-2 md:static md:p-2">
                <DropMenu
                  trigger={
                    <IconButton label={`Actions for ${token.name}`}>
                      <Ellipsis aria-hidden className="size-4" />
                    </IconButton>
                  }
                >
                  <MenuItem onClick={() => edit(token)}>
                    <Pencil aria-hidden className="size-4" />
                    Edit
                  </MenuItem>
                  <MenuLine />
                  <MenuItem danger onClick={() => revoke(token)}>
                    <Trash2 aria-hidden className="size-4" />
                    Revoke
                  </MenuItem>
                </DropMenu>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function scopeInWords({ scope }: ApiToken, projects: Project[]): string {
  if (scope === "all") return "All projects";
  const names = scope
    .map((id) => projects.find((project) => project.id === id)?.name)
    .filter((name) => name !== undefined);
  return names.length > 0 ? names.join(", ") : "No projects (they were deleted)";
}
