/** Whether an address may be shown as a link: a browser runs what follows `javascript:`. */
export const isWebAddress = (address: string): boolean => /^https?:$/.test(URL.parse(address)?.protocol ?? "");
