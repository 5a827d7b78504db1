/** The server to check, with its credentials. The token must reach exactly one project. */
export type Subject = { base: string; ingest: string; token: string; key: string } & OptionalCredentials;

/** Credentials that only some rows need; without one, its rows are left out. */
type OptionalCredentials = {
  /** A token that reaches exactly one other project. */
  otherToken?: string | undefined;
  /** A token that reaches more than one project. */
  wideToken?: string | undefined;
  /** A token that reaches no project. */
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
