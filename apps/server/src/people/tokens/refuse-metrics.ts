import type { Permission } from "@lodge/contract/roles";
import { invalidInput } from "../../platform/errors.ts";

/**
 * Refuses to let an admin of one organisation grant `metrics:read`, which shows numbers of all organisations. An
 * existing grant by an operator may be kept or removed. Throws `invalid_input`.
 */
export function refuseMetrics(wanted: readonly Permission[], before: readonly string[] = []): void {
  const index = wanted.indexOf("metrics:read");
  if (index < 0 || before.includes("metrics:read")) return;
  const message = "metrics:read can only be granted by the server's operator, with lodged token create";
  throw invalidInput([{ path: `/permissions/${index}`, message }]);
}
