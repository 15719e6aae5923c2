// The properties of a function module that the service uses: what it may write, and the limits of its processes. Other
// properties are the engineer's own.

/** Names that may be written, and beginnings of such names. */
export interface WriteList {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

export interface ModuleProperties {
  readonly writes: WriteList;
  /** Where there are users; what it writes it reads as well. */
  readonly reads: WriteList;
  /** Lower-case hexadecimal. */
  readonly sha256: string | undefined;
  readonly memoryBytes: number | undefined;
  readonly cpuCores: number | undefined;
  readonly maxProcesses: number | undefined;
}

/** The message is for people, and goes after the name of the property. */
export interface PropertyFault {
  readonly property: string;
  readonly message: string;
}

const unitBytes: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['K', 2 ** 10],
  ['M', 2 ** 20],
  ['G', 2 ** 30],
  ['T', 2 ** 40],
]);
/** With less nothing starts; a smaller plain number probably lacks its unit letter. */
const minMemoryBytes = 2 ** 20;
const minCores = 0.01;
const maxCores = 1024;
/** As many as Linux can have. */
const maxMaxProcesses = 2 ** 22;
const shownItems = 3;

export function readModuleProperties(
  properties: Readonly<Record<string, string>> | undefined,
): ModuleProperties | { readonly faults: readonly PropertyFault[] } {
  const faults: PropertyFault[] = [];
  const read = <T>(property: string, parse: (text: string) => T | undefined, message: string): T | undefined => {
    const text = textOf(properties, property);
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && value === undefined) faults.push({ property, message });
    return value;
  };
  const list = (property: string): WriteList => {
    const text = textOf(properties, property) ?? '';
    const wrong = itemsOf(text).filter((item) => !/^(?:[_a-zA-Z0-9]{1,64}|[_a-zA-Z0-9]{0,64}\*)$/.test(item));
    if (wrong.length > 0) faults.push({ property, message: wrongItems(wrong) });
    return readWriteList(text);
  };
  const known = {
    writes: list('writes'),
    reads: list('reads'),
    sha256: read('sha256', parseSha256, 'must be 64 hexadecimal digits, as sha256sum prints them'),
    memoryBytes: read(
      'memoryLimit',
      parseBytes,
      'must be bytes, of at least 1M: a whole number, with K, M, G or T, such as 256M',
    ),
    cpuCores: read('cpuLimit', parseCores, `must be cores, from ${minCores} to ${maxCores}, such as 0.5`),
    maxProcesses: read('maxProcesses', parseCount, `must be a whole number from 1 to ${maxMaxProcesses}`),
  };
  return faults.length > 0 ? { faults } : known;
}

/** Names or prefixes that end in an asterisk, separated by commas or white space. Anything else allows nothing. */
export function readWriteList(text: string): WriteList {
  const items = itemsOf(text);
  const isPrefix = (item: string) => item.endsWith('*');
  return {
    names: new Set(items.filter((item) => !isPrefix(item))),
    prefixes: items.filter(isPrefix).map((item) => item.slice(0, -1)),
  };
}

export function mayWrite({ names, prefixes }: WriteList, name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

function textOf(properties: Readonly<Record<string, string>> | undefined, property: string): string | undefined {
  return properties !== undefined && Object.hasOwn(properties, property) ? properties[property] : undefined;
}

function itemsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}

function wrongItems(items: readonly string[]): string {
  const shown = items
    .slice(0, shownItems)
    .map((item) => JSON.stringify(item.length > 70 ? `${item.slice(0, 70)}…` : item));
  const more = items.length > shownItems ? ` and ${items.length - shownItems} more` : '';
  const be = items.length === 1 ? 'is no name' : 'are no names';
  return `${shown.join(', ')}${more} ${be}: write names, or beginnings of names with an asterisk, such as level, pump_*`;
}

function parseSha256(text: string): string | undefined {
  return /^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined;
}

function parseBytes(text: string): number | undefined {
  const [, digits = '', letter = ''] = /^([0-9]{1,15})([KMGT]?)$/.exec(text) ?? [];
  const bytes = Number(digits) * (unitBytes.get(letter) ?? 0);
  return bytes >= minMemoryBytes && Number.isSafeInteger(bytes) ? bytes : undefined;
}

function parseCores(text: string): number | undefined {
  const cores = /^[0-9]{1,4}(?:\.[0-9]{1,3})?$/.test(text) ? Number(text) : 0;
  return cores >= minCores && cores <= maxCores ? cores : undefined;
}

function parseCount(text: string): number | undefined {
  const count = /^[0-9]{1,7}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= maxMaxProcesses ? count : undefined;
}
