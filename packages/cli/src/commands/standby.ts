// `telltale standby`: the nodes of a site, and which of them leads; and a planned switchover.
import { type NodeRecords, type NodeState, operations } from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import type { Cell } from '../terminal.ts';
import { timeText } from '../words.ts';

const alone = 'This server is the only node of its site: it was started without --lease.';

const standby: CommandDeclaration = {
  path: ['standby'],
  summary: 'Show the nodes of the site: which one leads, since when, and whether the other could take over',
  arguments: [],
  options: [],
  details: 'Any node shows all of them. Exit code 1: there is no lease, or no node leads, or none could take over.',
  examples: ['telltale standby'],
  run: async (call) => {
    const { client, terminal, signal } = call;
    const { node } = await client.service.overview({ signal });
    if (node === null) throw new Refused(alone);
    if (terminal.isJson) await terminal.json(node);
    else await print(call, node);
    const finding = findingOf(node);
    if (finding !== undefined) throw new Refused(finding);
  },
};

const standbySwitch: CommandDeclaration = {
  path: ['standby', 'switch'],
  summary: operations.switchNode.summary,
  arguments: [{ name: 'NODE', optional: true }],
  options: [],
  details:
    'To be asked at the node that leads; another one says where that is. NODE may be left out where there are two. Where the other node is not ' +
    'there, or has not all that the site shares, nothing changes. Commands are refused for some tenths of a second.',
  examples: ['telltale standby switch', 'telltale standby switch b'],
  run: async ({ client, args: [to], terminal, signal }) => {
    const switched = await client.service.switchNode(to, { signal });
    const { from, to: leader, leads, address, 'took-ms': tookMs } = switched;
    if (terminal.isJson) await terminal.json(switched);
    else if (leads) await terminal.line(`${leader} leads in place of ${from}, after ${tookMs} ms: ${address}`);
    if (leads) return;
    throw new Refused(
      `${from} does not lead any more, and ${leader} has not begun to within ${tookMs} ms; look at telltale standby.`,
    );
  },
};

export const standbyCommands: readonly CommandDeclaration[] = [standby, standbySwitch];

/** Who leads, in a few words. */
export function leaderText({ node, leader }: NodeState): string {
  if (leader === null) return 'no node leads';
  return `${leader.node === node ? 'this node leads' : `${leader.node} leads`} since ${timeText(leader.since)}`;
}

function findingOf({ leader, nodes, problem, site }: NodeState): string | undefined {
  if (problem !== null) return `The lease of the site ${site}: ${problem}.`;
  if (leader === null) return `No node leads the site ${site}.`;
  if (nodes.some((each) => each.name !== leader.node && each['not-ready'] === null)) return undefined;
  return `No other node of the site ${site} could take over.`;
}

async function print({ terminal }: Call, state: NodeState): Promise<void> {
  const { site, node, leader, members } = state;
  await terminal.line({ text: site, style: 'bold' }, `: ${leaderText(state)}; asked was ${node}`);
  const rows = state.nodes.map((each): Cell[] => {
    const role = each.name === leader?.node ? 'leads' : 'waits';
    const ready = each['not-ready'];
    const could: Cell =
      role === 'leads' ? '' : ready === null ? { text: 'yes', style: 'green' } : { text: `no: ${ready}`, style: 'red' };
    return [each.name, role, could, each.version, each.address, timeText(each.since)];
  });
  await terminal.table(['NODE', 'ROLE', 'COULD TAKE OVER', 'VERSION', 'ADDRESS', 'THERE SINCE'], rows);
  for (const each of state.records ?? []) await printRecords(terminal, node, each);
  await terminal.line('');
  await terminal.table(
    ['ETCD', 'VERSION', 'PROBLEM'],
    members.map(({ address, version, problem }) => [address, version ?? '', { text: problem ?? '', style: 'red' }]),
  );
}

/** What one of the two has recorded and the other one lacks. */
async function printRecords({ line }: Call['terminal'], own: string, records: NodeRecords): Promise<void> {
  const { node, state, error, heard, 'waiting-here': here, 'oldest-here': since } = records;
  const { 'waiting-there': left, 'oldest-there': leftSince } = records;
  if (here > 0)
    await line(
      `On node ${own}, ${here} records that ${node} lacks${since === null ? '' : `, from ${timeText(since)}`}.`,
    );
  if (left > 0)
    await line(
      `On node ${node}, ${left} records that are not here${leftSince === null ? '' : `, from ${timeText(leftSince)}`}.`,
    );
  if (state !== 'down') return;
  const last = heard === null ? 'It has sent none yet.' : `What it has recorded since ${timeText(heard)} is not here.`;
  await line({ text: `Records do not go to node ${node}: ${error}. ${last}`, style: 'red' });
}
