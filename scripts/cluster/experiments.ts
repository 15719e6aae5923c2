// What to try with a cluster: whom to kill, and where to see what becomes of it.
import type { Engines } from './engines.ts';
import type { Servers } from './servers.ts';

export interface Experiment {
  readonly title: string;
  /** Pasted into a shell, as all of these. */
  readonly act: string;
  readonly look: string;
  /** What `look` prints some seconds later, as a part of it. */
  readonly shows: string;
  /** How everything is again as it was. */
  readonly undo?: string;
}

export function experimentsOf({ centre, north, south, nodes: [a, b] }: Servers, engines: Engines): Experiment[] {
  const { postgres, members, nats } = engines;
  const telltale = (url: string, command: string) => `npx telltale --url ${url} ${command}`;
  const curl = (url: string) => `curl -sS ${url}`;
  const sites = curl(`${centre.url}/sites`);
  return [
    {
      title: 'Let the other node lead, as planned.',
      act: telltale(a.url, 'standby switch'),
      look: telltale(b.url, 'standby --json'),
      shows: '"role": "leading"',
      undo: telltale(b.url, 'standby switch'),
    },
    {
      title:
        'Kill the node that leads: the other one reads and writes within 5 s, and says that nobody would take over from it.',
      act: `kill -9 ${a.pid}`,
      look: curl(`${b.url}/readyz`),
      shows: '"degraded"',
      undo: a.again,
    },
    {
      title: 'Kill one of three members of etcd: nothing stops, and the nodes name the one that is gone.',
      act: `kill -9 ${members[0]?.pids[0]}`,
      look: telltale(b.url, 'standby --json'),
      shows: 'nothing listens there',
    },
    {
      title: 'Kill a site: the centre says within 5 s that it is gone, and its history is still there.',
      act: `kill -9 ${north.pid}`,
      look: sites,
      shows: '"state":"down"',
      undo: north.again,
    },
    {
      title: 'Kill the store: the centre says so and goes on, and what the sites record waits with them.',
      act: `kill -9 ${postgres.pid}`,
      look: curl(`${centre.url}/readyz`),
      shows: 'Nothing goes to the store',
    },
    {
      title: 'Kill the bus: the sites go on by themselves, and say that the centre does not hear them.',
      act: `kill -9 ${nats.pid}`,
      look: curl(`${south.url}/readyz`),
      shows: 'not connected to the bus',
    },
  ];
}
