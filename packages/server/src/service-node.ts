// The part of this server in its site, as the settings want it: the only node, or one of several.
import { hostname } from 'node:os';
import type { Clock, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import type { Guarded } from './operations/index.ts';
import type { Settings } from './settings.ts';
import type { IdentityOptions, SiteNode } from './standby/index.ts';

export interface ServiceNodeOptions {
  readonly settings: Settings;
  /** Undefined where it is the only one. */
  readonly library: typeof import('./standby/index.ts') | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly url: () => string;
  readonly fingerprint: () => string | undefined;
  readonly identity: IdentityOptions;
}

/** Undefined where it is the only one. */
export function createNode({
  settings,
  library,
  clock,
  log,
  url,
  fingerprint,
  identity,
}: ServiceNodeOptions): SiteNode | undefined {
  const { lease: address, site, node: name = hostname(), 'public-url': publicUrl } = settings;
  if (address === undefined || site === undefined || library === undefined) return undefined;
  const lease = { address, passwordFile: settings['lease-password-file'], ttlMs: settings['lease-ttl'] };
  return new library.SiteNode({
    ...lease,
    site,
    name,
    version: packageJson.version,
    url: () => publicUrl ?? url(),
    fingerprint,
    identity,
    clock,
    log,
  });
}

/** Each node has its own. */
const ofNodes: ReadonlySet<Guarded['effect']['resource']> = new Set(['access', 'certificates', 'service', 'audit']);

/** Whether it changes this node alone, and not the site. */
export function isOwn({ effect: { action, resource }, permission }: Guarded): boolean {
  // That something of its disk is missing.
  const isMissing = resource === 'configuration' && action === 'acknowledge';
  return (
    ofNodes.has(resource) ||
    permission === 'install-code' ||
    permission === 'set-secret' ||
    action === 'maintain' ||
    isMissing
  );
}

/** Why this is not done here; undefined where it is not of the site, or this node acts for it. */
export function nodeRefusal(node: SiteNode | undefined, operation: Guarded): ProblemError | undefined {
  return isOwn(operation) ? undefined : node?.refusal;
}
