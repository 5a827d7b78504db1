import { crc32, deflateSync } from "node:zlib";

/** An image of this size that shows a window with a title bar, so that it is visible when displayed. */
export function makePng(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (width * 3 + 1), 0xf4);
  for (let y = 0; y < height; y++) {
    const start = y * (width * 3 + 1);
    rows[start] = 0;
    if (y < height / 8) rows.fill(0x2f, start + 1, start + 1 + width * 3);
    else if (y > height / 2 && y < height / 2 + height / 10) rows.fill(0x9c, start + 1 + width, start + 1 + width * 2);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
