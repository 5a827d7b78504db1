/** The host and port of a server; the host is a name, an address or the folder of a socket. */
export type Host = { host: string; port: number };

const defaultPort = 5432;

/**
 * The hosts in a PostgreSQL address, in libpq's notation: `one:5432,two:5432`, or lists in the parameters `host` and
 * `port`. `first` is the address with only the first host. Undefined if the address is invalid, or has a
 * `target_session_attrs` other than a writable one.
 */
export function readHosts(address: string): { hosts: Host[]; first: string } | undefined {
  const [, scheme = "", user = "", authority = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?#@]*@)?([^/?#@]*)(.*)$/s.exec(address) ?? [];
  const named = authority.split(",");
  const url = URL.parse(`${scheme}${user}${named[0] || "localhost"}${rest}`);
  if (!url) return undefined;
  const wanted = url.searchParams.get("target_session_attrs") ?? "read-write";
  if (wanted !== "read-write" && wanted !== "primary") return undefined;
  url.searchParams.delete("target_session_attrs");
  const ports = url.searchParams.get("port")?.split(",") ?? [];
  const inParameter = url.searchParams.get("host")?.split(",");
  const hosts = (inParameter ?? named).map((text, n): Host => {
    const [, host = "", port = ports[n] ?? ports[0] ?? `${defaultPort}`] = inParameter
      ? [text, text]
      : (/^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? []);
    return { host: decodeURIComponent(host.replace(/^\[(.*)\]$/, "$1")), port: Number(port) };
  });
  if (hosts.some(({ host, port }) => (hosts.length > 1 && host === "") || !(port > 0 && port < 65_536)))
    return undefined;
  const [first] = hosts;
  if (hosts.length > 1 && inParameter) {
    url.searchParams.set("host", first?.host ?? "");
    url.searchParams.set("port", `${first?.port}`);
  }
  return { hosts, first: url.href };
}

/** Parses a comma-separated list of replica addresses, each with one host. Undefined if it is invalid. */
export function readReplicas(text: string): string[] | undefined {
  const urls = text.split(/,(?=\s*postgres)/).map((url) => url.trim());
  return urls.every((url) => readHosts(url)?.hosts.length === 1) ? urls : undefined;
}
