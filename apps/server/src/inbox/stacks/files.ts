/**
 * Folders that usually contain projects, which show where a project starts: `/home/ada/projects/shop/index.js` is
 * `index.js`.
 */
const homes =
  /^(?:\/(?:home|Users)\/[^/]+|\/root|\/srv|\/opt|\/var\/(?:www|apps?|lib|opt|task)|\/usr\/(?:local\/)?(?:src|share)|\/builds\/[^/]+|\/mnt\/[^/]+|\/data|\/tmp|\/private\/var|[a-z]:(?:\/(?:Users|inetpub)\/[^/]+)?)\//i;
/** Folders that are themselves projects. */
const roots =
  /^\/(?:app|code|workspaces?(?:\/[^/]+)?|work|project|repo|src|source|var\/task|home\/runner\/work\/[^/]+\/[^/]+|github\/workspace|usr\/src\/app)\//i;
const generic =
  /^(?:projects?|repos?|repositories|work|workspace|code|dev|develop(?:ment)?|git|github|sites?|deploy|www)$/i;
const deployed = /^(?:current|releases?|versions?|shared|html|httpdocs|public_html|wwwroot)$/i;

/**
 * The parts of a file's path within its project, without the host, the query and folders that are named after a build.
 */
export function partsOf(file: string, root: string | null = null): string[] {
  const path = cleanPath(file);
  const isBelow = root !== null && path.startsWith(root);
  return (isBelow ? path.slice(root.length) : /^https?:/i.test(file) ? path : belowProject(path))
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== ".." && !/^[a-z]:$/i.test(part) && !isOfBuild(part));
}

/** The folder of a project, which contains its dependencies, as found in the files of a stack. */
export function projectOf(files: readonly (string | null)[]): string | null {
  for (const file of files.slice(0, 200)) {
    const [, root] = (file === null ? null : /^(.+?\/)(?:node_modules|vendor\/bundle)\//.exec(cleanPath(file))) ?? [];
    if (root !== undefined && file !== null && !/^https?:/i.test(file)) return root;
  }
  return null;
}

function cleanPath(file: string): string {
  return file
    .slice(0, 1_000)
    .replace(/^(?:async )?(?:webpack(?:-internal)?|turbopack|vite|file|app|rsc|app-pages-browser):\/\/+/i, "/")
    .replace(/^[a-z][a-z0-9+.-]+:\/\/[^/]*/i, "")
    .replace(/[?#].*$/, "")
    .replaceAll(/[\\/]+/g, "/");
}

/** A path within its project, as far as common folder names show. */
function belowProject(path: string): string {
  const [project] = roots.exec(path) ?? [];
  if (project !== undefined) return skipDeployed(path.slice(project.length));
  const [home] = homes.exec(path) ?? [];
  if (home === undefined) return path;
  const parts = path.slice(home.length).split("/");
  while (parts.length > 1 && generic.test(parts[0] ?? "")) parts.shift();
  if (parts.length > 1) parts.shift(); // the project
  return skipDeployed(parts.join("/"));
}

function skipDeployed(path: string): string {
  const parts = path.split("/");
  while (parts.length > 1 && (deployed.test(parts[0] ?? "") || isOfBuild(parts[0] ?? ""))) parts.shift();
  return parts.join("/");
}

/** Whether a folder is named after a build: by a hash, an id, a number, a date or a version. */
const isOfBuild = (part: string) =>
  isHexadecimal(part) || /^v?\d[\d._-]*$/.test(part) || /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(part);

export const isHexadecimal = (text: string) => /^[0-9a-f]{7,64}$/i.test(text) && (/\d/.test(text) || text.length >= 8);

/** The last two parts of a file's path within its project, which distinguish it from the project's other files. */
export const shortFile = (file: string, root: string | null = null): string => partsOf(file, root).slice(-2).join("/");
