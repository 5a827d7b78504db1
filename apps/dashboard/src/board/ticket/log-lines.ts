const laidOut = /^(?: {2,}|\t)\S|\S(?: {3,}|\t)\S/;
const logged =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b|at \S+ \(|[$>] )/;
const paragraphLinesMax = 30;
const loggedLinesMin = 3;

/**
 * Whether a paragraph is shown as a log, line by line: it is aligned by spaces like a stack trace or a program's table,
 * has the lines of a logger, or has more lines than a written paragraph.
 */
export function isLog(paragraph: string): boolean {
  const lines = paragraph.split("\n");
  if (lines.length < 2) return false;
  if (lines.length > paragraphLinesMax || lines.some((line) => laidOut.test(line))) return true;
  return lines.filter((line) => logged.test(line)).length >= loggedLinesMin;
}
