const registers = 1_024;

/**
 * An empty HyperLogLog sketch: it counts distinct ids to within 3 % in most cases, and small numbers almost exactly.
 */
export const emptySketch = (): Buffer => Buffer.alloc(registers);

/** Adds an id, which must have the bits of a hash. Returns whether the sketch changed. */
export function addToSketch(sketch: Buffer, id: string): boolean {
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  const register = bytes.readUInt16BE(14) % registers;
  const rank = Math.clz32(bytes.readUInt32BE(10)) + 1;
  if (rank <= sketch.readUInt8(register)) return false;
  sketch.writeUInt8(rank, register);
  return true;
}

/** The estimated number of distinct ids. */
export function estimateDistinct(sketch: Buffer): number {
  let sum = 0;
  let empty = 0;
  for (const rank of sketch) {
    sum += 2 ** -rank;
    if (rank === 0) empty += 1;
  }
  const raw = ((0.7213 / (1 + 1.079 / registers)) * registers ** 2) / sum;
  return Math.round(raw <= 2.5 * registers && empty > 0 ? registers * Math.log(registers / empty) : raw);
}
