// What an agent has to offer: the well-known groups that it has, the enterprises below them, and the objects below any
// number, each as a point that can be taken as it is. Never more than a page is asked of the agent.
import type { Datatype } from '@telltale/schema';
import {
  type BrowseAnswer,
  type BrowsedPoint,
  type BrowseItem,
  type BrowseRequest,
  NoAnswer,
  Refused,
} from '@telltale/stack-kit';
import { type Host, numbered, pointName } from './address.ts';
import type { AgentSession } from './agent-session.ts';
import { tag } from './ber.ts';
import { nameOfOid } from './object-names.ts';
import { arcsOf, compareOids, isWithin } from './oid.ts';
import { asked, encodeVarbinds, pduType, statusName, type Varbind } from './pdu.ts';
import { isException, numberOf, textOf, typeName } from './snmp-value.ts';

const enterprises = '1.3.6.1.4.1';

const mib2 = '1.3.6.1.2.1';

/** Groups of MIB-2 by what they are; those that an agent has beside them are shown by their numbers. */
const titles: Readonly<Record<string, string>> = {
  '1.3.6.1.2.1.1': 'system',
  '1.3.6.1.2.1.2': 'interfaces',
  '1.3.6.1.2.1.4': 'IP',
  '1.3.6.1.2.1.5': 'ICMP',
  '1.3.6.1.2.1.6': 'TCP',
  '1.3.6.1.2.1.7': 'UDP',
  '1.3.6.1.2.1.11': 'SNMP',
  '1.3.6.1.2.1.17': 'bridge',
  '1.3.6.1.2.1.25': 'host resources',
  '1.3.6.1.2.1.31': 'interfaces, more',
  '1.3.6.1.2.1.33': 'uninterruptible power supply',
  '1.3.6.1.2.1.43': 'printer',
  '1.3.6.1.2.1.47': 'physical entities',
  '1.3.6.1.2.1.99': 'sensors',
};

/** Harmless to write; for other objects SNMP does not say whether they can be set. */
const writable = ['1.3.6.1.2.1.1.4.0', '1.3.6.1.2.1.1.5.0', '1.3.6.1.2.1.1.6.0'];
const rowsAtOnce = 20;
const maxValueShown = 80;

export function browseHosts(hosts: readonly Host[], { cursor, limit }: BrowseRequest): BrowseAnswer {
  const from = cursor === undefined ? 0 : hosts.findIndex(({ name }) => name === cursor);
  if (from < 0) throw new Refused(`${cursor} is not a cursor of an earlier answer`);
  const page = hosts.slice(from, from + limit);
  const items = page.map(({ name, host, port }) => folder(`${name} (${host} port ${port})`, `${name}/`));
  return { items, cursor: hosts[from + limit]?.name };
}

export async function browseAgent(
  session: AgentSession,
  agent: string | undefined,
  { path, cursor, limit }: BrowseRequest,
  signal: AbortSignal,
): Promise<BrowseAnswer> {
  const prefix = agent === undefined ? '' : `${agent}/`;
  if (cursor !== undefined && numbered(cursor) === undefined)
    throw new Refused(`${cursor} is not a cursor of an earlier answer`);
  if (path === undefined) return browseTop(session, prefix, { cursor, limit }, signal);
  const base = numbered(path);
  if (base === undefined) throw new Refused(`${path} is neither an object identifier nor a known name`);
  const from = cursor ?? base;
  if (!isWithin(from, base)) throw new Refused(`${from} is not below ${path}`);
  return base === enterprises
    ? browseChildren(session, prefix, { base, from, limit }, signal)
    : walk(session, agent, { base, from, limit }, signal);
}

/** The groups of MIB-2, and behind them the enterprises. */
async function browseTop(
  session: AgentSession,
  prefix: string,
  { cursor, limit }: Pick<BrowseRequest, 'cursor' | 'limit'>,
  signal: AbortSignal,
): Promise<BrowseAnswer> {
  const items: BrowseItem[] = [];
  if (cursor !== enterprises) {
    const from = cursor ?? mib2;
    if (!isWithin(from, mib2)) throw new Refused(`${from} is not where an earlier answer ended`);
    const groups = await browseChildren(session, prefix, { base: mib2, from, limit }, signal);
    items.push(...groups.items);
    if (groups.cursor !== undefined) return groups;
    if (items.length >= limit) return { items, cursor: enterprises };
  }
  const [first] = await askNext(session, [enterprises], signal);
  const hasMore = first !== undefined && !isException(first.tag) && isWithin(first.oid, enterprises);
  if (hasMore) items.push(folder(`enterprises (${enterprises})`, prefix + enterprises));
  return { items, cursor: undefined };
}

interface Page {
  readonly base: string;
  readonly from: string;
  readonly limit: number;
}

/** One step down, each child once: what follows the last number of the child before is the next child. */
async function browseChildren(
  session: AgentSession,
  prefix: string,
  { base, from, limit }: Page,
  signal: AbortSignal,
): Promise<BrowseAnswer> {
  const items: BrowseItem[] = [];
  const depth = arcsOf(base).length;
  for (let after = from; items.length < limit; ) {
    const [next] = await askNext(session, [after], signal);
    if (next === undefined || isException(next.tag) || !isWithin(next.oid, base)) return { items, cursor: undefined };
    const arc = arcsOf(next.oid)[depth] ?? 0;
    if (compareOids(next.oid, after) <= 0) throw outOfOrder();
    const child = `${base}.${arc}`;
    const title = Object.hasOwn(titles, child) ? `${titles[child]} (${child})` : child;
    items.push(folder(title, prefix + child));
    after = `${base}.${arc + 1}`;
    if (arc + 1 >= 2 ** 32) return { items, cursor: undefined };
    if (items.length === limit) return { items, cursor: after };
  }
  return { items, cursor: undefined };
}

async function walk(
  session: AgentSession,
  agent: string | undefined,
  { base, from, limit }: Page,
  signal: AbortSignal,
): Promise<BrowseAnswer> {
  const items: BrowseItem[] = [];
  let after = from;
  while (items.length < limit) {
    const second = Math.min(rowsAtOnce, limit - items.length);
    const varbinds = encodeVarbinds([asked(after)]);
    const pdu = await session.read({ type: pduType.getBulk, first: 0, second, varbinds }, signal);
    if (pdu.errorStatus !== 0) throw new Refused(`the agent answers ${statusName(pdu.errorStatus)}`);
    if (pdu.varbinds.length === 0) return { items, cursor: undefined };
    for (const varbind of pdu.varbinds) {
      if (isException(varbind.tag) || !isWithin(varbind.oid, base)) return { items, cursor: undefined };
      if (compareOids(varbind.oid, after) <= 0) throw outOfOrder();
      after = varbind.oid;
      if (items.length < limit) items.push(itemOf(varbind, agent));
    }
  }
  return { items, cursor: after };
}

async function askNext(
  session: AgentSession,
  oids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Varbind[]> {
  const question = { type: pduType.getNext, varbinds: encodeVarbinds(oids.map(asked)) };
  const pdu = await session.read(question, signal);
  if (pdu.errorStatus !== 0) throw new Refused(`the agent answers ${statusName(pdu.errorStatus)}`);
  if (pdu.varbinds.length !== oids.length) throw new NoAnswer('the agent answers with another number of objects');
  return pdu.varbinds;
}

function outOfOrder(): Refused {
  return new Refused('the agent answers out of order: browsing would never end');
}

function folder(title: string, path: string): BrowseItem {
  return { title, path, measurement: undefined, command: undefined };
}

function itemOf(varbind: Varbind, agent: string | undefined): BrowseItem {
  const name = nameOfOid(varbind.oid);
  const { datatype, form } = formOf(varbind);
  const text = textOf(varbind, form);
  const shown = text.length > maxValueShown ? `${text.slice(0, maxValueShown)}…` : text;
  const object = agent === undefined ? name : `${agent}/${name}`;
  const point: BrowsedPoint = {
    name: pointName(agent, name === varbind.oid ? `oid_${name}` : name),
    address: form === undefined ? object : `${object}:${form}`,
    datatype,
    description: `${typeName(varbind.tag)} ${varbind.oid}`,
  };
  const command = writable.includes(varbind.oid) ? { ...point, address: object } : undefined;
  return { title: `${name} = ${typeName(varbind.tag)} ${shown}`, path: undefined, measurement: point, command };
}

/** The datatype that holds whatever such an object may come to have. */
function formOf(varbind: Varbind): { readonly datatype: Datatype; readonly form: string | undefined } {
  const plain = (datatype: Datatype) => ({ datatype, form: undefined });
  switch (varbind.tag) {
    case tag.integer:
      return plain('i');
    case tag.counter32:
    case tag.gauge32:
    case tag.timeTicks:
    case tag.unsigned32:
    case tag.counter64:
      return plain('l');
    case tag.opaque:
      return plain(numberOf(varbind) === undefined ? 's' : 'd');
    case tag.octets: {
      // A text that is a number now may be another text tomorrow: only one with a fraction is taken for a number.
      if (numberOf(varbind) !== undefined && varbind.content.includes('.')) return plain('d');
      const isText = textOf(varbind, undefined) === textOf(varbind, 'text');
      return isText ? plain('s') : { datatype: 's', form: 'hex' };
    }
    default:
      return plain('s');
  }
}
