// Who may say and hear what on the bus, by role. A site has the subjects below its own id, and no others.
import { archivers, checkSite, exchanges, feeds, inboxOf, rights, uplink } from '../subjects.ts';

export type BusRole = 'site' | 'archiver' | 'centre' | 'reader';

/** Who connects: a site by its id; the others by any name. */
export interface BusMember {
  readonly role: BusRole;
  readonly name: string;
  /** Of its certificate, in letters and digits: another one is another member. */
  readonly key?: string;
}

export interface BusPermissions {
  readonly publish: readonly string[];
  /** `subject queue`: as a member of the queue alone. */
  readonly subscribe: readonly string[];
}

const archiver: BusPermissions = { publish: ['inbox.*.>'], subscribe: [`${uplink.all} ${archivers}`] };
const reader: BusPermissions = { publish: ['ask.*.*'], subscribe: ['live.*.*'] };

export function permissionsOf({ role, name }: BusMember): BusPermissions {
  switch (role) {
    case 'site':
      return {
        publish: [uplink.ofSite(name), exchanges.fromSite(name), feeds.ofSite(name)],
        subscribe: [exchanges.toSite(name), feeds.askedOf(name), `${inboxOf(name)}.>`],
      };
    case 'archiver':
      return archiver;
    case 'reader':
      return reader;
    case 'centre':
      return {
        publish: ['to.*.*.*', ...reader.publish, ...archiver.publish],
        subscribe: ['from.*.*.*', rights.all, ...reader.subscribe, ...archiver.subscribe],
      };
  }
}

/** The common name in its certificate. */
export function commonNameOf({ role, name, key }: BusMember): string {
  return `${role}.${checkSite(name)}${key === undefined ? '' : `.${key}`}`;
}
