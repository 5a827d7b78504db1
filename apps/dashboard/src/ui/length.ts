/** The error for a text that is too long, else undefined. Counts Unicode code points, as the server does. */
export function tooLong(text: string, lengthMax: number): string | undefined {
  if (text.length <= lengthMax) return undefined;
  const length = [...text].length;
  return length > lengthMax
    ? `${length.toLocaleString()} characters, but at most ${lengthMax.toLocaleString()} are allowed.`
    : undefined;
}
