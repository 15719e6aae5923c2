// The address of a node as people write it, and of a part of it: one element of an array, a field of a structure, or that
// it is a method. Pure: what the namespace of a URI is at the server, and whether the node exists, only the server knows.

export interface NodeAddress {
  /** By number, or by URI: the number of a URI may change when the server restarts. */
  readonly namespace: number | string;
  readonly kind: 'i' | 's' | 'g' | 'b';
  readonly identifier: string;
  /** Of one element of an array that the server picks, one number a dimension; empty: the whole. */
  readonly index: readonly number[];
  /** From the value of the node to a part of it, step by step; empty: the value. */
  readonly path: readonly PathStep[];
  /** It is called, not read or written. */
  readonly isMethod: boolean;
}

/** The name of a field, or the index of an element, one number a dimension. */
export type PathStep = string | readonly number[];

const guid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const identifier = `i=[0-9]{1,10}|g=${guid}|b=[+/0-9a-zA-Z]{1,680}={0,2}|s=[^\\u0000-\\u001f]{1,900}?`;
const part = ';\\[[0-9]{1,9}(?:,[0-9]{1,9}){0,4}\\]|#[^\\u0000-\\u001f]{1,300}';

export const addressRegex = `^(?:(?:ns=[0-9]{1,5}|nsu=[^;\\u0000-\\u0020]{1,512});)?(?:${identifier})(?:${part})?$`;

const form = new RegExp(addressRegex, 'u');
/** A # of the text itself is written twice. */
const beforePath = /^((?:[^#]|##)*)(?:#(.+))?$/su;
const step = /(?:^|(?<!^)\.)([^.,#()[\]\u0000-\u001f]{1,128})|\[([0-9]{1,9}(?:,[0-9]{1,9}){0,4})\]/uy;
const maxSteps = 16;

/** The reason for the person, or the address. */
export function parseAddress(address: string): NodeAddress | string {
  if (!form.test(address))
    return 'a node must have the form ns=2;s=Tank1.Level, with the suffix ;[3] for an element of an array';
  const [, space, uri, kind = '', rest = ''] = /^(?:ns=([0-9]+);|nsu=([^;]+);)?([isgb])=(.+)$/su.exec(address) ?? [];
  const namespace = uri === undefined ? Number(space ?? 0) : unescapeUri(uri);
  if (typeof namespace === 'number' && namespace > 65535) return `ns=${namespace}: a namespace is 0 to 65535`;
  const [, node = '', part] = beforePath.exec(rest) ?? [];
  const path = part === undefined || part === '()' ? [] : parsePath(part);
  if (node === '' || path === undefined) {
    return `behind # is a path such as #field.sub[2], or #() for a method; a # of the text itself is written ##`;
  }
  const [, index] = /;\[([0-9,]+)\]$/.exec(node) ?? [];
  if (index !== undefined && part !== undefined) return `;[${index}] and # cannot be combined: use #[${index}]`;
  const name = (index === undefined ? node : node.slice(0, -index.length - 3)).replaceAll('##', '#');
  if (kind === 'i' && Number(name) > 0xffff_ffff) return `i=${name}: a numeric identifier is at most 4294967295`;
  return {
    namespace,
    kind: kind as NodeAddress['kind'],
    identifier: kind === 'g' ? name.toUpperCase() : name,
    index: index === undefined ? [] : index.split(',').map(Number),
    path,
    isMethod: part === '()',
  };
}

function parsePath(text: string): PathStep[] | undefined {
  const path: PathStep[] = [];
  for (step.lastIndex = 0; step.lastIndex < text.length; ) {
    const [whole, name, index] = step.exec(text) ?? [];
    if (whole === undefined || path.length === maxSteps) return undefined;
    path.push(name ?? (index ?? '').split(',').map(Number));
  }
  return path;
}

export function formatPath(path: readonly PathStep[]): string {
  return path.map((each, at) => (typeof each !== 'string' ? `[${each}]` : at === 0 ? each : `.${each}`)).join('');
}

/** Whether a path can have it as a step. */
export function isFieldName(name: string): boolean {
  return parsePath(name)?.length === 1 && !name.startsWith('[') && !name.startsWith('.');
}

/** As the specification writes it (Part 6, 5.1.12): a semicolon in a URI is %3B, a percent sign %25. */
function unescapeUri(uri: string): string {
  return uri.replace(/%3B/gi, ';').replace(/%25/g, '%');
}

export function formatNamespaceUri(uri: string): string {
  return `nsu=${uri.replaceAll('%', '%25').replaceAll(';', '%3B')}`;
}

/** The text that OPC UA calls a NumericRange, or none. */
export function indexRangeOf({ index }: NodeAddress): string | undefined {
  return index.length === 0 ? undefined : index.join(',');
}
