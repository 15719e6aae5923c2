// The reference of a stack in Markdown, made from its declaration: what its README has between the generated markers.
import type { AddressDescription, Stack, StackDescription } from './define-stack.ts';
import type { ParameterDescription } from './variables.ts';

/** Headings start at the third level. Ends without a line break. */
export function documentStack({ connector, provider }: Stack): string {
  return [
    ...(connector ? documentRole('Connector', connector.describe()) : []),
    ...(provider ? documentRole('Provider', provider.describe()) : []),
  ].join('\n\n');
}

function documentRole(heading: string, { description, defaults }: StackDescription): string[] {
  const rows = Object.entries(description.parameters).map(([name, parameter]) => [
    code(name),
    [parameter.title, parameter.description].filter((text) => text !== undefined).join('. '),
    parameter.type,
    parameter.required ? 'required' : code(Object.hasOwn(defaults, name) ? (defaults[name] as string) : ''),
    allowed(parameter),
  ]);
  return [
    `### ${heading}`,
    rows.length === 0 ? 'No variables.' : markdownTable(['Variable', 'Meaning', 'Type', 'Default', 'Allowed'], rows),
    ...documentAddresses(`#### Measurement addresses of a ${heading.toLowerCase()}`, description.measurement),
    ...documentAddresses(`#### Command addresses of a ${heading.toLowerCase()}`, description.command),
    ...(description.alarm?.enabled
      ? documentAddresses(`#### Alarm addresses of a ${heading.toLowerCase()}`, description.alarm)
      : []),
  ];
}

function documentAddresses(heading: string, { enabled, regex, doc, examples }: AddressDescription): string[] {
  if (!enabled || regex === null) return [heading, 'None.'];
  const rows = examples.map(({ address, meaning }) => [code(address), meaning]);
  return [heading, ...doc, markdownTable(['Example', 'Meaning'], rows), `Form: ${code(regex)}`];
}

function allowed({ type, enum: words, range, unit, regex, form, secret, entries }: ParameterDescription): string {
  if (secret) return 'a secret, or `file:NAME`: the first line of that file in its folder of secrets';
  if (entries !== undefined) {
    return `entries such as \`joe: key=value key="a value"\`, one a line or with ; between, of ${Object.keys(entries).map(code).join(', ')}`;
  }
  if (words !== undefined) return words.map(code).join(', ');
  if (range !== undefined) return `${rangeInWords(range)}${unit === undefined ? '' : ', or such as `5s`'}`;
  if (form !== undefined) return form;
  if (regex !== undefined) return code(regex);
  return type === 'boolean' ? '`true`, `on`, `1`, `false`, `off`, `0`' : '';
}

function rangeInWords([low, high]: [number | null, number | null]): string {
  if (low === null) return `at most ${high}`;
  return high === null ? `at least ${low}` : `${low} to ${high}`;
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

/** A table with its columns padded, as the formatter of this repository wants them. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [heads, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = heads.map((_, column) => Math.max(3, ...cells.map((row) => [...(row[column] ?? '')].length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => pad(row[column] ?? '', width)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

/** By characters: padEnd counts half characters. */
function pad(text: string, width: number): string {
  return text + ' '.repeat(width - [...text].length);
}
