/** Where a command writes: what was asked for on stdout, everything else on stderr, and no secret in either. */
export type Terminal = {
  print: (text: string) => void;
  say: (text: string) => void;
  /** Like `say`, where `--verbose` asks for it. */
  explain: (text: string) => void;
  /** When what is asked of the service must have come to its end, by `performance.now()`. */
  deadlineAt: number;
  /** From now on this is not written, whatever it stands in. */
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
