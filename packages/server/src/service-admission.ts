// Who may connect to the bus of this centre, where it is the authority of that bus: as its settings want it, and as people see it.
import { hostname } from 'node:os';
import {
  type BusCode,
  type BusEnrolled,
  type BusEnrolmentRequest,
  type BusMember,
  type BusMembers,
  type BusRevoked,
  type CentreSite,
  type Clock,
  ProblemError,
  pause,
  toTimestamp,
} from '@telltale/schema';
import type { Logger } from 'pino';
import { isLoopback } from './access/index.ts';
import { isOwnAuthority, roleOnBus } from './bus-settings.ts';
import type { Enrolment, Member } from './enrolment/index.ts';
import type { BusAdmissionParts } from './operations/index.ts';
import { type Settings, wantsTls } from './settings.ts';
import { StartFailed } from './start-failed.ts';
import { siteIdOf } from './store/index.ts';

export interface BusAdmissionOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the service listens. */
  readonly url: () => string;
  /** SHA-256 of the certificate that it shows, as browsers show it. */
  readonly fingerprint: () => string | undefined;
  readonly sites: () => readonly CentreSite[];
  /** Whether the server of the bus that we are connected to has read the list of members of this version. */
  readonly hasRead: (version: string) => Promise<boolean>;
}

interface Opened {
  readonly enrolment: Enrolment;
  readonly bus: typeof import('./bus/index.ts');
  readonly library: typeof import('./enrolment/index.ts');
  readonly id: string;
}

const path = '/bus/enrolments';
/** Within this time a server that reads the list again has done so. */
const cutOffMs = 5000;
const lookMs = 100;
const nobody: readonly Member[] = [];
const wildcards = new Set(['0.0.0.0', '::']);

export class BusAdmission implements BusAdmissionParts {
  readonly #options: BusAdmissionOptions;
  readonly #ending = new AbortController();
  #opened: Opened | undefined;

  constructor(options: BusAdmissionOptions) {
    this.#options = options;
  }

  /** Before the connection to the bus is opened. Nothing where somebody else is its authority. */
  async open(): Promise<void> {
    const { settings, clock, log } = this.#options;
    const { data, site: title = hostname() } = settings;
    if (!isOwnAuthority(settings)) return;
    const [bus, library] = await Promise.all([import('./bus/index.ts'), import('./enrolment/index.ts')]);
    const { natsAuthorization, natsConfiguration, commonNameOf } = bus;
    const servers = serversOf(bus, settings);
    const id = siteIdOf(data);
    const enrolment = await library.openOwnBus({
      data,
      id,
      title,
      clock,
      log,
      hosts: servers.map(({ host }) => host),
      port: servers[0]?.port ?? 4222,
      authorizationOf: natsAuthorization,
      configurationOf: natsConfiguration,
      commonNameOf,
    });
    this.#opened = { enrolment, bus, library, id };
  }

  close(): void {
    this.#ending.abort();
  }

  /** Since the start; undefined: nobody is let in here. */
  get counts(): (Enrolment['counts'] & { readonly members: number }) | undefined {
    const enrolment = this.#opened?.enrolment;
    return enrolment && { ...enrolment.counts, members: enrolment.members.length };
  }

  /** Nobody where somebody else is the authority of the bus. */
  get members(): readonly Member[] {
    return this.#opened?.enrolment.members ?? nobody;
  }

  list(): BusMembers {
    const { enrolment } = this.#open();
    const sites = new Map(this.#options.sites().map((site) => [site.id, site]));
    return {
      members: enrolment.members.map((member) => memberOnWire(member, sites.get(member.name))),
      invitations: enrolment.invitations.map(({ id, title: name, role, untilUs, by }) => ({
        id,
        name,
        role,
        until: toTimestamp(untilUs),
        by,
      })),
    };
  }

  async invite({ name: title, role, seconds, by }: Parameters<BusAdmissionParts['invite']>[0]): Promise<BusCode> {
    const { enrolment, library } = this.#open();
    const { url, fingerprint } = this.#place();
    const validMs = seconds === undefined ? library.usualValidMs : 1000 * seconds;
    const { id, secret, untilUs } = await stored(enrolment.invite({ role, title, by }, validMs), (error) =>
      error instanceof library.TitleTaken ? new ProblemError('name-taken', `${error.message}.`) : undefined,
    );
    return {
      id,
      code: library.codeText({ url: `${url}${path}`, fingerprint, invitation: id, secret }),
      until: toTimestamp(untilUs),
      'is-known': enrolment.members.some((member) => member.title === title),
      'is-local': isLoopback(new URL(url).hostname.replaceAll(/[[\]]/g, '')),
    };
  }

  async enrol(request: BusEnrolmentRequest): Promise<BusEnrolled> {
    const { enrolment, library } = this.#open();
    const { settings, log } = this.#options;
    const { member, certificate, authority } = await stored(enrolment.enrol(request), (error) =>
      error instanceof library.NotInvited ? new ProblemError('not-invited', sentence(error.message)) : undefined,
    );
    const { title: name, role } = member;
    log.info({ member: member.name, role }, `the bus: ${name} is a member, with a key of its own`);
    return { certificate, authority, bus: settings['bus-public'] ?? settings.bus ?? '', name, role };
  }

  async revoke(id: string): Promise<BusRevoked> {
    const { enrolment, bus, id: ownId } = this.#open();
    const { clock, log, hasRead } = this.#options;
    if (id === ownId) throw new ProblemError('last-member', 'This is the centre itself.');
    if (!(await stored(enrolment.revoke(id)))) {
      throw new ProblemError('unknown-object', `There is no member and no invitation ${JSON.stringify(id)}.`);
    }
    const version = bus.rightsVersion(enrolment.members);
    const { signal } = this.#ending;
    const untilMs = clock.monotonicMs() + cutOffMs;
    let isCutOff = false;
    while (!isCutOff && !signal.aborted && clock.monotonicMs() < untilMs) {
      // What it has not read yet it refuses aloud.
      await pause(clock, lookMs, signal);
      isCutOff = await hasRead(version);
    }
    if (isCutOff) log.info({ member: id }, 'the bus: a member was taken out, and is cut off');
    else log.warn({ member: id }, 'the bus: a member was taken out, and its server has not read the list yet');
    return { 'is-cut-off': isCutOff };
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    throw new ProblemError('no-admission', whyNot(this.#options.settings));
  }

  /** Where a server that was invited finds this one, and by what it knows it. */
  #place(): { readonly url: string; readonly fingerprint: string } {
    const { settings, url: ownUrl, fingerprint } = this.#options;
    const { host, 'public-url': publicUrl, 'trusted-proxy': proxy } = settings;
    const refuse = (detail: string) => new ProblemError('no-admission', detail);
    if (publicUrl === undefined && !wantsTls(settings)) {
      throw refuse(
        'A code has a secret, which goes over HTTPS alone: start the centre with --tls, or with --tls-cert.',
      );
    }
    if (publicUrl === undefined && wildcards.has(host)) {
      throw refuse(`Nobody can be sent to ${host}: say with --public-url by which address sites reach this centre.`);
    }
    // Where a proxy is before it, that shows a certificate of its own, which machines trust.
    const isShown = wantsTls(settings) && (publicUrl === undefined || proxy === undefined);
    return {
      url: (publicUrl ?? ownUrl()).replace(/\/$/, ''),
      fingerprint: isShown ? Buffer.from((fingerprint() ?? '').replaceAll(':', ''), 'hex').toString('base64url') : '',
    };
  }
}

/** Throws `StartFailed`. */
function serversOf({ parseBusAddress }: Opened['bus'], settings: Settings) {
  return (['bus', 'bus-public'] as const).flatMap((name) => {
    const address = settings[name];
    try {
      return address === undefined ? [] : parseBusAddress(address).servers;
    } catch (error) {
      throw new StartFailed(`--${name} is not usable: ${(error as Error).message}`);
    }
  });
}

function whyNot(settings: Settings): string {
  const role = roleOnBus(settings);
  if (role !== 'centre') return 'It is no centre: ask that for a code.';
  if (settings.bus?.startsWith('tls://') !== true)
    return 'Its bus is without TLS, and open to everybody: no code is needed.';
  if (!isOwnAuthority(settings)) return 'Its own certificate is of another authority: whoever has that lets others in.';
  return 'It is starting.';
}

function memberOnWire({ name: id, title: name, role, sinceUs, by }: Member, site: CentreSite | undefined): BusMember {
  return {
    id,
    name,
    role,
    since: toTimestamp(sinceUs),
    by,
    state: role === 'site' ? (site?.state ?? 'down') : null,
    'last-seen': site?.state === 'down' ? site.since : null,
  };
}

/** Of something that goes to the disk. */
async function stored<T>(done: Promise<T>, problemOf: (error: unknown) => ProblemError | undefined = () => undefined) {
  try {
    return await done;
  } catch (error) {
    const problem = problemOf(error);
    if (problem !== undefined) throw problem;
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new ProblemError('storage-failed', `The list of members was not written: ${(error as Error).message}.`);
  }
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}
