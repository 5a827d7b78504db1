import type { ApiToken } from "@lodge/contract/dashboard/tokens";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../api/request.ts";
import { Confirm } from "../ui/modal.tsx";
import { tellDone } from "../ui/toasts.tsx";

/** Asks, and revokes a token for good. */
export function RevokeTokenDialog({ token, close }: { token: ApiToken; close: () => void }) {
  const queryClient = useQueryClient();
  return (
    <Confirm
      title={`Revoke “${token.name}”?`}
      confirm="Revoke the token"
      act={async () => {
        await request("DELETE", `tokens/${encodeURIComponent(token.id)}`);
        await queryClient.invalidateQueries({ queryKey: ["tokens"] });
        tellDone(`“${token.name}” is revoked`);
      }}
      close={close}
    >
      Its next request is refused, and it cannot be brought back. The tickets that it filed stay.
    </Confirm>
  );
}
