// The headers that a person may set for every request: which forms they have, and which are not theirs to set.

/** By their names; or what is wrong. */
export function parseHeaders(text: string): Record<string, string> | string {
  const headers: [string, string][] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const [, name = '', value = ''] =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\x20-\x7e\t]*?)[ \t]*\r?$/.exec(line) ?? [];
    if (name === '') return `has ${JSON.stringify(line.slice(0, 60))}: one header per line is expected, as Name: value`;
    if (ours.has(name.toLowerCase())) return `has ${name}, which is set automatically`;
    headers.push([name, value]);
  }
  return Object.fromEntries(headers);
}

const ours = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'if-none-match',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
