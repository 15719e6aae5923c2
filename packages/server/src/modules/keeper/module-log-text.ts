// The form of a line in the log of a module: `2023-11-14T22:13:20.250000Z text`.

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(\d{3})Z /;

/** Control characters as \xNN, so that a log does to a terminal what it says and nothing else; tabs and line breaks stay. */
export function shownText(text: string): string {
  return text.replace(
    /(?![\t\n])\p{Cc}/gu,
    (letter) => `\\x${(letter.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`,
  );
}

/** Undefined where it does not begin with a time: a damaged file, or somebody else's line. */
export function parseLine(line: string): { timeUs: number; text: string } | undefined {
  const [before, toMs, us] = stamp.exec(line) ?? [];
  if (before === undefined) return undefined;
  const timeUs = Date.parse(`${toMs}Z`) * 1000 + Number(us);
  return timeUs >= 0 ? { timeUs, text: line.slice(before.length) } : undefined;
}
