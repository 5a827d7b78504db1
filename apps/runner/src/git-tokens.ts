import { parseRepositoryAddress } from "@lodge/contract/repositories";

/** A variable of the runner's environment, and the only host to which its value may be sent (`host` or `host:port`). */
export type GitToken = { name: string; host: string };

/** The token that a runner may send for a repository, or the reason why it has none. */
export type Release = { token: string | undefined } | { refusal: string };

type Environment = Readonly<Record<string, string | undefined>>;

const form = /^([A-Z_][A-Z0-9_]{0,99})=(?=[^/@\s]+$)(.+)$/;

/** Parses `VAR=HOST[:PORT]` of `--git-token`; undefined if it is invalid. */
export function parseGitToken(text: string): GitToken | undefined {
  const [, name = "", host = ""] = form.exec(text) ?? [];
  const address = parseRepositoryAddress(`https://${host}/x`);
  return address && { name, host: address.host };
}

/**
 * Returns the token in the variable that a repository names, if the operator allows this variable for the repository's
 * host. The token is only sent over HTTPS: to git if the address is https, and to the host's forge.
 */
export function releaseToken(
  tokens: readonly GitToken[],
  env: Environment,
  { url, credentialsEnv }: { url: string; credentialsEnv: string | null },
): Release {
  const address = parseRepositoryAddress(url);
  if (credentialsEnv === null || !address || address.scheme === "file") return { token: undefined };
  const { scheme, host } = address;
  if (scheme === "http") {
    const refusal = `The repository names the variable ${credentialsEnv}, which goes to ${host} over HTTPS only: change the repository's address to https, or bind it without the variable.`;
    return { refusal };
  }
  const isReleased = tokens.some((token) => token.name === credentialsEnv && token.host === host);
  const token = isReleased ? env[credentialsEnv] : undefined;
  if (token) return { token };
  const wanted = isReleased
    ? `set ${credentialsEnv} in its environment`
    : `start it with --git-token ${credentialsEnv}=${host}`;
  const refusal = `The repository names the variable ${credentialsEnv}, which this runner does not release to ${host}: ${wanted}.`;
  return { refusal };
}
