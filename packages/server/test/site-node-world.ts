// A node of a site for tests: with etcd as a test has started it, and an acting that the test scripts.
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { pino } from 'pino';
import type { Etcd } from '../../../test/engines/etcd.ts';
import { type Acting, type ConfigurationPart, type LiveParts, SiteNode } from '../src/standby/index.ts';
import { settingText } from './lease-world.ts';

const nothingLive: LiveParts = { keys: () => [], stored: () => [], has: () => true, take: async () => {} };
const noConfiguration: ConfigurationPart = {
  families: [],
  take: async () => {},
  taken: async () => {},
  renamed: async () => [],
  begin: async () => {},
};

export interface ScriptedNode {
  readonly node: SiteNode;
  /** What it was told, in order, with whether it counted as acting then. */
  readonly told: string[];
}

/** Begun, and ends with the scope. What `script` has takes the place of what does nothing. */
export async function startSiteNode(
  scope: Scope,
  etcd: Etcd,
  {
    name = 'a',
    configured,
    ports,
    ttlMs = 1000,
    ...script
  }: {
    readonly name?: string;
    readonly ports?: readonly number[];
    readonly ttlMs?: number;
    readonly configured?: () => Promise<void>;
  } & Partial<Acting> = {},
): Promise<ScriptedNode> {
  const told: string[] = [];
  const node = new SiteNode({
    address: settingText(etcd, ports && { ports }),
    passwordFile: undefined,
    ttlMs,
    site: 'works',
    name,
    version: '1.0',
    url: () => `http://${name}.example`,
    identity: { own: async () => ({ id: '0123456789abcdef', epochsFrom: 0 }), onAgreed: () => {}, onSecret: () => {} },
    fingerprint: () => undefined,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  const note = (what: string) => told.push(`${what}${node.isActing ? ' while acting' : ''}`);
  const acting: Acting = {
    problem: () => undefined,
    begin: async (epoch) => {
      note('begin');
      await script.begin?.(epoch);
    },
    end: async () => {
      note('end');
      await script.end?.();
    },
    pause: async () => {
      note('pause');
      await script.pause?.();
    },
    resume: () => {
      note('resume');
      script.resume?.();
    },
    rest: async () => script.rest?.(),
    ended: async () => script.ended?.(),
  };
  await node.open();
  cleanupOf(scope).defer(() => node.close());
  await node.begin(acting, nothingLive, { ...noConfiguration, ...(configured && { begin: configured }) });
  return { node, told };
}
