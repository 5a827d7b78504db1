/**
 * The events in a response of `GET /api/v1/events`, byte for byte. Parsing and serialising them again would change
 * large numbers and fail on deeply nested values.
 */
export function sliceEvents(page: string): string[] {
  const events: string[] = [];
  let depth = 0;
  let isString = false;
  let isListed = false;
  let start = 0;
  for (let at = 0; at < page.length; at++) {
    const sign = page[at];
    if (isString) {
      if (sign === "\\") at++;
      else if (sign === '"') isString = false;
    } else if (sign === '"') {
      isString = true;
    } else if (sign === "{" || sign === "[") {
      if (depth === 1) isListed = /"events"\s*:\s*$/.test(page.slice(Math.max(0, at - 32), at));
      if (depth === 2) start = at;
      depth++;
    } else if (sign === "}" || sign === "]") {
      depth--;
      if (depth === 2 && isListed) events.push(page.slice(start, at + 1));
    }
  }
  return events;
}
