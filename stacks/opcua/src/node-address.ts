// The address of a node as people write it, and of one element where the node is an array. Pure: what the namespace of a
// URI is at the server, and whether the node exists, only the server knows.

export interface NodeAddress {
  /** By number, or by URI: the number of a URI may change when the server restarts. */
  readonly namespace: number | string;
  readonly kind: 'i' | 's' | 'g' | 'b';
  readonly identifier: string;
  /** Of one element of an array, one number a dimension; empty: the whole. */
  readonly index: readonly number[];
}

const guid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const identifier = `i=[0-9]{1,10}|g=${guid}|b=[+/0-9a-zA-Z]{1,680}={0,2}|s=[^\\u0000-\\u001f]{1,900}?`;

export const addressRegex = `^(?:(?:ns=[0-9]{1,5}|nsu=[^;\\u0000-\\u0020]{1,512});)?(?:${identifier})(?:;\\[[0-9]{1,9}(?:,[0-9]{1,9}){0,4}\\])?$`;

const form = new RegExp(addressRegex, 'u');

/** The reason for the person, or the address. */
export function parseAddress(address: string): NodeAddress | string {
  if (!form.test(address))
    return 'a node must have the form ns=2;s=Tank1.Level, with the suffix ;[3] for an element of an array';
  const [, index] = /;\[([0-9,]+)\]$/.exec(address) ?? [];
  const node = index === undefined ? address : address.slice(0, -index.length - 3);
  const [, space, uri, kind = '', name = ''] = /^(?:ns=([0-9]+);|nsu=([^;]+);)?([isgb])=(.+)$/su.exec(node) ?? [];
  const namespace = uri === undefined ? Number(space ?? 0) : unescapeUri(uri);
  if (typeof namespace === 'number' && namespace > 65535) return `ns=${namespace}: a namespace is 0 to 65535`;
  if (kind === 'i' && Number(name) > 0xffff_ffff) return `i=${name}: a numeric identifier is at most 4294967295`;
  return {
    namespace,
    kind: kind as NodeAddress['kind'],
    identifier: kind === 'g' ? name.toUpperCase() : name,
    index: index === undefined ? [] : index.split(',').map(Number),
  };
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
