/** The output of a command: results on stdout, messages on stderr, secrets on neither. */
export type Terminal = {
  print: (text: string) => void;
  say: (text: string) => void;
  /** Like `say`, but only with `--verbose`. */
  explain: (text: string) => void;
  /** The deadline of all requests, in `performance.now()` time. */
  deadlineAt: number;
  /** Replaces the secret in all later output. */
  hide: (secret: string) => void;
};

/** A terminal on this process's own streams. */
export function openTerminal(verbose: boolean, timeoutMs = Number.POSITIVE_INFINITY): Terminal {
  const hidden = new Set<string>();
  const clean = (text: string) => [...hidden].reduce((written, secret) => written.replaceAll(secret, "[secret]"), text);
  const say = (text: string) => void process.stderr.write(`${clean(text)}\n`);
  return {
    print: (text) => void process.stdout.write(`${clean(text)}\n`),
    say,
    deadlineAt: performance.now() + timeoutMs,
    explain: verbose ? say : () => {},
    hide: (secret) => void hidden.add(secret),
  };
}
