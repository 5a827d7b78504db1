import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { parse, type YAMLParseError } from "yaml";
import { OperatorError } from "../../platform/errors.ts";

/** Reads JSON or YAML from a file, or standard input as "-". Throws an `OperatorError` unless it is one value. */
export async function readWorld(file: string): Promise<unknown> {
  try {
    const bytes = file === "-" ? await buffer(process.stdin) : await readFile(file);
    if (!isUtf8(bytes)) throw new Error("it is not UTF-8");
    const value: unknown = parse(bytes.toString("utf8"));
    if (value === null) throw new Error("it is empty");
    return value;
  } catch (error) {
    const several = (error as YAMLParseError).code === "MULTIPLE_DOCS";
    const why = several ? "it holds several YAML documents (there is --- between them)" : (error as Error).message;
    throw new OperatorError(`Cannot read ${file === "-" ? "standard input" : file}: ${why}`);
  }
}
