/** Where a server listens: a name, an address or the folder of a socket, and a port. */
export type Host = { host: string; port: number };

const defaultPort = 5432;

/**
 * The hosts of a PostgreSQL's address, several as its own library has them: `one:5432,two:5432` in their place, or lists in
 * the parameters `host` and `port`. `first` is the address with the first of them alone. Undefined where it is no address,
 * or wants anything of its sessions but that they can write.
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

/**
 * The addresses of replicas, with commas between, one host each: which of several could be written to makes no difference
 * here. Undefined where it is no such list.
 */
export function readReplicas(text: string): string[] | undefined {
  const urls = text.split(/,(?=\s*postgres)/).map((url) => url.trim());
  return urls.every((url) => readHosts(url)?.hosts.length === 1) ? urls : undefined;
}
