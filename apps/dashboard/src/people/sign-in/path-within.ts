/** The path and query of `next` if it is a page of this dashboard, else the start page. */
export function pathWithin(next: string | undefined): string {
  const url = URL.parse(next ?? "/", location.origin);
  return url?.origin === location.origin ? `${url.pathname}${url.search}` : "/";
}
