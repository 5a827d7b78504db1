import { isDeepStrictEqual } from "node:util";
import type { SetIdentityProvider } from "@lodge/contract/dashboard/providers";
import type { SealingKeys } from "../../platform/config/seal.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { OperatorError } from "../../platform/errors.ts";
import { dropProvider, isSameClient, keepProvider } from "./keep-provider.ts";
import { findProvider, openSecret } from "./read-provider.ts";

/**
 * Sets the identity provider of a world file, or removes it for null; does nothing if it is unchanged. The provider is
 * not contacted: the first sign-in will show whether it responds. Throws an `OperatorError` if its client secret or
 * LODGE_SECRET is missing.
 */
export async function applyIdentityProvider(
  tx: Transaction,
  { clock, sealing }: Pick<Deps, "clock"> & { sealing: SealingKeys | undefined },
  organisationId: string,
  applied: SetIdentityProvider | null,
): Promise<void> {
  const who = { organisationId, userId: null, name: "lodged apply" };
  const kept = await findProvider(tx, organisationId);
  if (applied === null) {
    if (kept) await dropProvider(tx, { clock }, who);
    return;
  }
  if (sealing === undefined) {
    throw new OperatorError(
      "An identity provider needs LODGE_SECRET, to encrypt its client secret. Set it to the secret of the servers.",
    );
  }
  const deps = { clock, sealing };
  const { clientSecret, ...provider } = applied;
  const before = kept && isSameClient(kept.provider, provider) ? readSecretOf(deps, kept) : undefined;
  const secret = clientSecret ?? before;
  if (secret === undefined)
    throw new OperatorError("The file is invalid:\n  /identityProvider/clientSecret is required");
  if (secret === before && isDeepStrictEqual(kept?.provider, provider)) return;
  await keepProvider(tx, deps, who, kept?.provider, provider, secret);
}

/** The stored client secret; undefined if it was encrypted with another LODGE_SECRET. */
function readSecretOf(deps: Pick<Deps, "sealing">, kept: Parameters<typeof openSecret>[1]): string | undefined {
  try {
    return openSecret(deps, kept);
  } catch {
    return undefined;
  }
}
