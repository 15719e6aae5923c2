// The syntax of a connector's addresses: an object of an agent, or what a trap brings, and in which form.
import { type Datatype, isIdentifier, form as storage, traitsOf } from '@telltale/schema';
import type { Point, PointKind } from '@telltale/stack-kit';
import { oidOfName } from './object-names.ts';
import { isOid } from './oid.ts';

/** How an octet string or a truth value is read. */
export const readForms = ['text', 'hex', 'truth'] as const;
/** The type with which a value is set. */
export const writeForms = [
  'integer',
  'unsigned',
  'counter32',
  'counter64',
  'timeticks',
  'text',
  'hex',
  'ip',
  'oid',
  'float',
  'double',
  'truth',
] as const;
export type WriteForm = (typeof writeForms)[number];

export interface Address {
  readonly isTrap: boolean;
  /** As the variable `hosts` names it; undefined: the only one, and for a trap whichever. */
  readonly agent: string | undefined;
  readonly oid: string;
  readonly form: string | undefined;
}

const agent = '(?:[A-Za-z_][-A-Za-z0-9_]{0,62}/)?';
const object = '(?:[.]?[0-2]|(?:[A-Z][-A-Za-z0-9]{0,63}::)?[a-z][-A-Za-z0-9]{0,63})(?:[.][0-9]{1,10}){0,127}';

export const measurementRegex = `^(?:trap:)?${agent}${object}(?::(?:${readForms.join('|')}))?$`;
export const commandRegex = `^${agent}${object}(?::(?:${writeForms.join('|')}))?$`;

/** Of an address that matches its regex; a text says what is wrong with it. */
export function parseAddress(text: string): Address | string {
  const isTrap = text.startsWith('trap:');
  const rest = isTrap ? text.slice(5) : text;
  const slash = rest.indexOf('/');
  const plain = rest.slice(slash + 1).replace(/^[A-Z][-A-Za-z0-9]*::/, '');
  const colon = plain.lastIndexOf(':');
  const written = colon < 0 ? plain : plain.slice(0, colon);
  const oid = numbered(written);
  if (oid === undefined) {
    return /^[a-z]/.test(written)
      ? `${written} is not among the names that are known here: write the number`
      : `${written} is not an object identifier`;
  }
  return {
    isTrap,
    agent: slash < 0 ? undefined : rest.slice(0, slash),
    oid,
    form: colon < 0 ? undefined : plain.slice(colon + 1),
  };
}

export function checkAddress(kind: PointKind, text: string, point: Point): string | undefined {
  const address = parseAddress(text);
  if (typeof address === 'string') return address;
  const datatype = point.rawDatatype ?? point.datatype;
  if (!address.isTrap && /^(?:[^/]*\/)?(?:[A-Z][-A-Za-z0-9]*::)?[a-z][-A-Za-z0-9]*(?::|$)/.test(text)) {
    return `${text} names no instance: .0 follows the name of what there is once, the row that of a column`;
  }
  return kind === 'measurement' ? checkReadForm(address, datatype) : checkWriteForm(address, datatype);
}

function checkReadForm({ form }: Address, datatype: Datatype): string | undefined {
  if (form === 'truth' && !traitsOf(datatype).isBoolean) return `:truth is for the raw datatype b, not ${datatype}`;
  if ((form === 'text' || form === 'hex') && traitsOf(datatype).form !== storage.text) {
    return `:${form} is for the raw datatype s, not ${datatype}`;
  }
  return undefined;
}

/** Which types a datatype is set with; the first where the address says none. */
export function writeFormsOf(datatype: Datatype): readonly WriteForm[] {
  const { form: held, precision, isBoolean, isQuantity } = traitsOf(datatype);
  if (held === storage.text) return ['text', 'hex', 'ip', 'oid'];
  if (isBoolean) return ['integer', 'truth', 'unsigned'];
  if (!isQuantity) return ['integer', 'unsigned'];
  if (precision !== 'whole') return ['text', 'float', 'double', 'integer', 'unsigned'];
  const counted: WriteForm[] = ['integer', 'unsigned', 'counter32', 'counter64', 'timeticks', 'text'];
  return hasOwnType(datatype) ? [...counted, 'float', 'double'] : counted;
}

/** SNMP has a type for texts, and one for whole numbers of 32 bits. */
export function hasOwnType(datatype: Datatype): boolean {
  const { form: held, highest } = traitsOf(datatype);
  return held === storage.text || Number(highest) < 2 ** 31;
}

function checkWriteForm({ form }: Address, datatype: Datatype): string | undefined {
  const allowed = writeFormsOf(datatype);
  if (form !== undefined && !allowed.includes(form as WriteForm)) {
    return `:${form} does not go with the raw datatype ${datatype}: one of ${allowed.join(', ')}`;
  }
  if (form === undefined && !hasOwnType(datatype)) {
    return `the raw datatype ${datatype} has no default type in SNMP: add one of ${allowed.join(', ')} after a colon`;
  }
  return undefined;
}

/** `sysUpTime.0` and `.1.3.6.1.2.1.1.3.0` as `1.3.6.1.2.1.1.3.0`. */
export function numbered(written: string): string | undefined {
  if (!/^[a-z]/.test(written)) {
    const oid = written.startsWith('.') ? written.slice(1) : written;
    return isOid(oid) ? oid : undefined;
  }
  const dot = written.indexOf('.');
  const base = oidOfName(dot < 0 ? written : written.slice(0, dot));
  if (base === undefined) return undefined;
  const oid = dot < 0 ? base : base + written.slice(dot);
  return isOid(oid) ? oid : undefined;
}

export interface Host {
  /** As addresses name it. */
  readonly name: string;
  /** The name of its account; undefined: that of the connector or provider itself. */
  readonly account: string | undefined;
  readonly host: string;
  readonly port: number;
}

/** Each has a socket of its own. */
const maxHosts = 256;

/** The variable `hosts`: one host, or several with names, `name=account@host:port`. Throws an Error that says what is wrong. */
export function parseHosts(text: string, defaultPort: number): Host[] {
  const hosts: Host[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    const equals = part.indexOf('=');
    const [, account, place = ''] =
      /^(?:([^@]*)@)?(.*)$/.exec((equals < 0 ? part : part.slice(equals + 1)).trim()) ?? [];
    const matched = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)|([0-9a-fA-F]*:[0-9a-fA-F:.]+))(?::([0-9]{1,5}))?$/.exec(
      place,
    );
    const host = matched?.[1] ?? matched?.[2] ?? matched?.[3];
    const port = matched?.[4] === undefined ? defaultPort : Number(matched[4]);
    if (host === undefined || port < 1 || port > 65535) {
      throw new Error(
        `${JSON.stringify(place)} is not a host, such as 192.0.2.7, 192.0.2.7:1161 or [2001:db8::7]:1161`,
      );
    }
    const name = equals < 0 ? host : part.slice(0, equals).trim();
    if (equals >= 0 && !/^[A-Za-z_][-A-Za-z0-9_]{0,62}$/.test(name)) {
      throw new Error(`${JSON.stringify(name)} is not a name of a host: letters, digits, _ and -, a letter first`);
    }
    if (hosts.some((each) => each.name === name)) throw new Error(`${name} is named twice`);
    hosts.push({ name, account, host, port });
  }
  if (hosts.length > maxHosts)
    throw new Error(`${hosts.length} hosts: at most ${maxHosts} are allowed; use several connectors`);
  if (hosts.length > 1 && !text.split(',').every((part) => part.includes('='))) {
    throw new Error('several hosts require names, as in switch1=192.0.2.1, switch2=192.0.2.2');
  }
  return hosts;
}

/** For names that the server makes identifiers of. */
export function pointName(agentName: string | undefined, name: string): string {
  const text = `${agentName === undefined ? '' : `${agentName}_`}${name}`.replaceAll(/[^A-Za-z0-9_]/g, '_');
  return isIdentifier(text) ? text : text.slice(0, 64);
}
