import { revokeToken } from "@lodge/contract/calls.generated";
import type { ApiToken } from "@lodge/contract/dashboard/tokens";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Confirm } from "../../ui/modal.tsx";
import { tellDone } from "../../ui/toasts.tsx";

/** Revokes a token permanently after asking. */
export function RevokeTokenDialog({ token, close }: { token: ApiToken; close: () => void }) {
  return (
    <Confirm
      title={`Revoke “${token.name}”?`}
      confirm="Revoke token"
      act={async () => {
        await call(revokeToken, { params: { tokenId: token.id } });
        await fetchAfter({ kind: "tokens.changed" });
        tellDone(`“${token.name}” is revoked`);
      }}
      close={close}
    >
      Its requests will be refused. This cannot be undone. The cards that it filed stay.
    </Confirm>
  );
}
