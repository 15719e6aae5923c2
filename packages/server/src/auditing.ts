// The audit trail of the service, made from its settings, and the syslog server that gets its signed heads.
import { readFileSync } from 'node:fs';
import { type Clock, parseDuration } from '@telltale/schema';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import type { KnownApproval } from './access/index.ts';
import { type AuditEntry, AuditTrail, type Head, readSyslogTarget, Syslog } from './audit/index.ts';
import { logDisk } from './service-condition.ts';
import type { Settings } from './settings.ts';
import { StartFailed } from './start-failed.ts';

export interface AuditingOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onFailure: (error: Error) => void;
}

export class Auditing {
  readonly trail: AuditTrail;
  readonly #syslog: Syslog | undefined;

  constructor({ settings, clock, log, onFailure }: AuditingOptions) {
    this.#syslog = syslogOf(settings, clock, log);
    const retention = settings['audit-retention'];
    const retentionUs = retention === undefined ? undefined : parseDuration(retention);
    this.trail = new AuditTrail({
      folder: settings.data,
      clock,
      onFailure,
      onFault: (reason) => logDisk(log, 'records of the audit trail', reason),
      onTold: (text) => log.warn(`audit trail: ${text}`),
      onHead: (head) => this.#send(head),
      retentionMs: retentionUs === undefined ? undefined : retentionUs / 1000,
    });
  }

  /** What is to be done soon: a sentence each. */
  get warnings(): string[] {
    const { failure, pending = 0 } = this.#syslog ?? {};
    if (failure === undefined) return this.trail.warnings;
    const syslog = `The syslog server of the audit trail is away (${failure}): ${pending} signed heads wait for it.`;
    return [...this.trail.warnings, syslog];
  }

  /** Resolves when the trail is open, or is going to be tried again. */
  async open(): Promise<void> {
    void this.trail.record(ofService('startService', packageJson.version));
    await this.trail.open();
  }

  /** What two people have signed, and nobody knows whether it was done. */
  async tellInterrupted(approvals: readonly KnownApproval[]): Promise<void> {
    for (const { id, operation, input, requester, approver = '', reason } of approvals) {
      await this.trail.record({
        who: approver,
        kind: 'user',
        operation: 'approveAction',
        object: typeof input.name === 'string' ? input.name : undefined,
        new: { approval: id, operation, input, requester, state: 'unknown' },
        reason,
        result: 'internal',
      });
    }
  }

  async close(patienceMs: number): Promise<void> {
    void this.trail.record(ofService('stopService', packageJson.version));
    await this.trail.close(patienceMs);
    await this.#syslog?.close();
  }

  #send({ line }: Head): void {
    this.#syslog?.send('head', line);
  }
}

function ofService(operation: string, version: string): AuditEntry {
  return { who: 'service', kind: 'service', operation, new: { version }, result: 'done' };
}

function syslogOf(settings: Settings, clock: Clock, log: Logger): Syslog | undefined {
  const { 'audit-syslog': address, 'audit-syslog-ca': caFile } = settings;
  const target = address === undefined ? undefined : readSyslogTarget(address);
  if (target === undefined) return undefined;
  const onFault = (reason: string | undefined) => {
    if (reason === undefined) log.info(`the syslog server ${address} takes the heads of the audit trail`);
    else log.error(`the syslog server ${address} is away, which is retried: ${reason}`);
  };
  return new Syslog({ target, clock, onFault, ca: caFile === undefined ? undefined : certificatesIn(caFile) });
}

function certificatesIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartFailed(`--audit-syslog-ca ${path} cannot be read: ${(error as Error).message}`);
  }
}
