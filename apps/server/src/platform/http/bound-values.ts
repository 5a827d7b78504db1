const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Counts the values and the depth of JSON, chunk by chunk, before it is parsed: one byte can be a value, which takes 70
 * bytes of memory. Throws the error of `refuse` above the limits. Does not detect invalid JSON.
 */
export function boundValues({
  valuesMax,
  depthMax,
  refuse,
}: {
  valuesMax: number;
  depthMax: number;
  refuse: (message: string) => Error;
}): (chunk: Uint8Array) => void {
  let values = 1;
  let depth = 0;
  let inText = false;
  let escaped = false;
  let empty = false; // the open list or object
  return (chunk) => {
    let [v, d, t, x, e] = [values, depth, inText, escaped, empty]; // five times as fast as variables of a closure
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (t) {
        if (x) x = false;
        else if (byte === backslash) x = true;
        else if (byte === quote) t = false;
        continue;
      }
      switch (byte) {
        case space:
        case lineFeed:
        case carriageReturn:
        case tab:
          break;
        case comma:
          v += 1;
          break;
        case openList:
        case openObject:
          d += 1;
          v += 1; // the first value in it
          e = true;
          if (d > depthMax) throw refuse(`must not have objects and lists nested more than ${depthMax} deep`);
          break;
        case closeList:
        case closeObject:
          d -= 1;
          if (e) v -= 1;
          e = false;
          break;
        default:
          t = byte === quote;
          e = false;
      }
    }
    if (v - (e ? 1 : 0) > valuesMax) throw refuse(`must have at most ${valuesMax} values in all`);
    [values, depth, inText, escaped, empty] = [v, d, t, x, e];
  };
}
