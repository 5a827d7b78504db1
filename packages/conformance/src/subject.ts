/** The server to check, with its credentials. The token must have access to exactly one project. */
export type Subject = { base: string; ingest: string; token: string; key: string } & OptionalCredentials;

/** Credentials that only some rows need. Rows without their credential are skipped. */
type OptionalCredentials = {
  /** A token with access to exactly one other project. */
  otherToken?: string | undefined;
  /** A token with access to more than one project. */
  wideToken?: string | undefined;
  /** A token without access to any project. */
  unreachingToken?: string | undefined;
  /** A token without tickets:write. */
  powerlessToken?: string | undefined;
  revokedToken?: string | undefined;
  /** A token whose rate limit may be used up; not one of the others. */
  rateToken?: string | undefined;
  /** An SDK key whose rate limit may be used up, if shared rate limiting is on. */
  rateKey?: string | undefined;
  /** An SDK key of a suspended organisation. */
  suspendedKey?: string | undefined;
};
