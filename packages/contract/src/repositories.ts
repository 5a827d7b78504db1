/** The scheme of a Git repository's URL. */
export type RepositoryScheme = "https" | "http" | "ssh" | "file";

/** The parts of a repository's URL that decide where Git connects, and which token the runner may send there. */
export type RepositoryAddress = {
  scheme: RepositoryScheme;
  /** In lowercase. With the port for http and https if it is not the default one. Empty for a file. */
  host: string;
  /** The path without `.git`, such as `acme/web`. */
  path: string;
};

// Each part is narrow on purpose, to refuse URLs that Git, curl and a URL parser could read differently.
const user = "[A-Za-z0-9_][A-Za-z0-9_.~%+-]*";
const password = "[^\\s@/\\\\?#]*";
const host = "(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])";
const path = "[^\\s\\\\\\u0000-\\u001f\\u007f]+";
const web = `(https?)://(?:${user}(?::${password})?@)?(${host})(?::([0-9]{1,5}))?/(${path})`;
const ssh = `(ssh)://(?:${user}@)?(${host})(?::[0-9]{1,5})?/(${path})`;
const scp = `${user}@(${host}):(?![-:])(${path})`;
const file = `(file):///(${path})`;

/** Matches the repository URLs that any client may send: `https`, `http`, `ssh` and `user@host:path`. */
export const repositoryPattern = `^(?:${web}|${ssh}|${scp})$`;
/** Also matches `file:///path`, which only an operator may configure. */
export const repositoryOrFilePattern = `^(?:${web}|${ssh}|${scp}|${file})$`;

const forms = [web, ssh, scp, file].map((form) => new RegExp(`^${form}$`));
const defaultPorts: Record<string, number> = { https: 443, http: 80 };

/** Parses the URL of a repository. Undefined for everything else, such as `ext::…`, command-line options (`--upload-pack=…`) and plain paths. */
export function parseRepositoryAddress(url: string): RepositoryAddress | undefined {
  const [onWeb, onSsh, onScp, onDisk] = forms.map((form) => form.exec(url));
  const without = (path = "") => path.replace(/(?:\.git)?\/*$/, "");
  if (onWeb) {
    const [, scheme = "", name = "", port = "", path] = onWeb;
    const isDefault = port === "" || Number(port) === defaultPorts[scheme];
    const host = `${name.toLowerCase()}${isDefault ? "" : `:${Number(port)}`}`;
    return { scheme: scheme as "https" | "http", host, path: without(path) };
  }
  if (onSsh) return { scheme: "ssh", host: (onSsh[2] ?? "").toLowerCase(), path: without(onSsh[3]) };
  if (onScp) return { scheme: "ssh", host: (onScp[1] ?? "").toLowerCase(), path: without(onScp[2]) };
  if (onDisk) return { scheme: "file", host: "", path: without(onDisk[2]) };
  return undefined;
}
