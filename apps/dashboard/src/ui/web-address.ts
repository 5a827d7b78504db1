/** Whether a URL is safe as a link. A browser would run a `javascript:` URL. */
export const isWebAddress = (address: string): boolean => /^https?:$/.test(URL.parse(address)?.protocol ?? "");
