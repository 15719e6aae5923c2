// The parser of addresses: a topic, and behind a # (which no topic can have) which part of the payload is meant. Pure.
import { filterFault } from './topic.ts';

export type Selector =
  /** The payload as it is: a text or a number. */
  | { readonly kind: 'plain' }
  /** Member names and positions, from the outside in. */
  | { readonly kind: 'json'; readonly path: readonly string[] }
  | {
      readonly kind: 'binary';
      readonly type: BinaryType;
      readonly isLittleEndian: boolean;
      /** In bytes. */
      readonly offset: number;
    };

export const binaryTypes = [
  'int8',
  'uint8',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'float32',
  'float64',
] as const;
export type BinaryType = (typeof binaryTypes)[number];

export interface Address {
  /** A topic filter as it is subscribed, or a topic. */
  readonly topic: string;
  readonly selector: Selector;
}

export type ParsedAddress = { address: Address; fault?: never } | { address?: never; fault: string };
export type ParsedSelector = { selector: Selector; fault?: never } | { selector?: never; fault: string };

export const addressRegex = String.raw`^[^\u0000]+$`;

const binaryForm = /^(u?int(?:8|16|32|64)|float(?:32|64))(be|le)?(?:@([0-9]{1,6}))?$/u;
const pathStep = /\.([^.[\]]+)|\[([0-9]{1,9})\]|\['([^']*)'\]/uy;

/** Bound the length of the text before. */
export function parseAddress(text: string): ParsedAddress {
  const at = separatorAt(text);
  const topic = at < 0 ? text : text.slice(0, at);
  const wrong = filterFault(topic);
  if (wrong !== undefined) return { fault: wrong };
  const { selector, fault } = at < 0 ? { selector: plain } : parseSelector(text.slice(at + 1));
  return selector === undefined ? { fault } : { address: { topic, selector } };
}

/** What stands behind the #, or in a property that says where something is in the payload. */
export function parseSelector(text: string): ParsedSelector {
  if (text === '' || text.startsWith('/')) return { selector: { kind: 'json', path: pointerPath(text) } };
  if (text.startsWith('$')) {
    const path = jsonPath(text);
    if (path !== undefined) return { selector: { kind: 'json', path } };
    return { fault: `cannot read the JSON path ${JSON.stringify(text)}: as in $.values[0].level` };
  }
  const [, type, order, offset = '0'] = binaryForm.exec(text) ?? [];
  if (type !== undefined) {
    const isLittleEndian = order === 'le';
    return { selector: { kind: 'binary', type: type as BinaryType, isLittleEndian, offset: Number(offset) } };
  }
  return {
    fault: `after # a JSON pointer such as /value, a JSON path such as $.value, or a binary number such as float32le@4 is expected, not ${JSON.stringify(text)}`,
  };
}

const plain: Selector = { kind: 'plain' };

/** A # that begins a level is the wildcard; any other one, or one right behind the wildcard, is the separator. */
function separatorAt(text: string): number {
  const at = text.indexOf('#');
  if (at < 0) return -1;
  const isWildcard = at === 0 || text[at - 1] === '/';
  if (!isWildcard) return at;
  return text[at + 1] === '#' ? at + 1 : -1;
}

function pointerPath(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function jsonPath(text: string): string[] | undefined {
  const path: string[] = [];
  const form = new RegExp(pathStep);
  form.lastIndex = 1;
  while (form.lastIndex < text.length) {
    const [step, member, position, quoted] = form.exec(text) ?? [];
    if (step === undefined) return undefined;
    path.push(member ?? position ?? quoted ?? '');
  }
  return path;
}
