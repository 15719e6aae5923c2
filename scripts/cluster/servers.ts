// The servers of a cluster to try: a centre, two sites of one node, and one of two.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CentreSite, NodeState } from '@telltale/schema';
import { freePort, PeerProcess, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { engineFolder, killAll } from '../../test/engines/engine-folder.ts';
import { mainFile } from '../../test/server-process.ts';
import type { Engines } from './engines.ts';

/** All of it runs on a machine of two cores. */
const heap = '--max-old-space-size=320';
const readyMs = 180_000;
const endMs = 20_000;

export interface ClusterServer {
  readonly what: string;
  readonly url: string;
  readonly pid: number;
  /** What starts it again, in a shell. */
  readonly again: string;
}

export interface Servers {
  readonly centre: ClusterServer;
  readonly north: ClusterServer;
  readonly south: ClusterServer;
  readonly nodes: readonly [ClusterServer, ClusterServer];
}

export async function startServers(scope: Scope, engines: Engines, begin: (what: string) => void): Promise<Servers> {
  const { store, storePassword, bus, lease } = engines;
  const start = async (what: string, name: string, args: readonly string[], more: Partial<OneServer> = {}) => {
    begin(what);
    return startOne(scope, { what, name, args: [...args, '--bus', bus], ...more });
  };
  const centreArgs = ['--site', 'centre', '--store', store, '--no-demo'];
  const centre = await start('centre', 'centre', centreArgs, { env: { PGPASSWORD: storePassword } });
  const north = await start('site north', 'north', ['--site', 'north', '--demo']);
  const south = await start('site south', 'south', ['--site', 'south', '--demo']);
  const node = (name: string) => {
    const args = ['--site', 'works', '--node', name, '--lease', lease];
    return start(`site works, node ${name}`, `works-${name}`, args, { isMadeAlone: true });
  };
  const nodes = [await node('a'), await node('b')] as const;
  begin('until everybody knows everybody');
  await untilSo('the other node could take over', async () => {
    const { node: state } = await read<{ node: NodeState }>(`${nodes[0].url}/data/overview`);
    const others = state.nodes.filter((each) => each.name !== state.leader?.node);
    return state.role === 'leading' && others.some((each) => each['not-ready'] === null);
  });
  await untilSo('the centre has three sites', async () => {
    const sites = Object.values(await read<Record<string, CentreSite>>(`${centre.url}/sites`));
    return ['north', 'south', 'works'].every((name) => sites.some((site) => site.name === name && site.state === 'up'));
  });
  return { centre, north, south, nodes };
}

interface OneServer {
  readonly what: string;
  /** Of its folder. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** It has the demo plant before it is a node: a node that does not lead yet changes nothing. */
  readonly isMadeAlone?: boolean;
}

async function startOne(scope: Scope, { what, name, args, env = {}, isMadeAlone }: OneServer): Promise<ClusterServer> {
  const folder = join(engineFolder(scope), name);
  mkdirSync(folder);
  // Whoever works in its folder ends with it.
  cleanupOf(scope).defer(() => killAll(folder));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own = [heap, mainFile, '--data', join(folder, 'data'), '--port', String(port), '--stack-threads', '1'];
  const run = (args: readonly string[]) =>
    PeerProcess.start({
      command: process.execPath,
      args,
      folder,
      env,
      // Also where this process is killed.
      endsWithUs: false,
      readyMs,
      isReady: async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true,
    });
  if (isMadeAlone) await (await run([...own, '--demo'])).stop('SIGTERM', endMs);
  const all = [...own, ...args];
  const peer = await run(all);
  cleanupOf(scope).defer(() => peer.stop('SIGTERM', endMs));
  const again = `(cd ${folder} && ${[process.execPath, ...all].join(' ')} > again.log 2>&1 &)`;
  return { what, url, pid: peer.pid ?? 0, again };
}

export async function read<Body>(url: string): Promise<Body> {
  return (await (await fetch(url)).json()) as Body;
}

function untilSo(what: string, look: () => Promise<boolean>): Promise<unknown> {
  return until(what, () => look().catch(() => false), { deadlineMs: readyMs });
}
