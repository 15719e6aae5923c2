// What the settings say about the bus: as what the server is on it, and with which files it connects.
import { ownFiles } from './enrolment/files/index.ts';
import type { Settings } from './settings.ts';

/** Undefined: it is on none. */
export function roleOnBus({ bus, store, 'bus-role': role }: Settings): 'site' | 'centre' | undefined {
  if (bus === undefined) return undefined;
  return role ?? (store === undefined ? 'site' : 'centre');
}

/** A centre on a bus with TLS for which nothing else says who may connect. */
export function isOwnAuthority(settings: Settings): boolean {
  const given = ['bus-ca', 'bus-cert', 'bus-key', 'bus-credentials'] as const;
  return (
    roleOnBus(settings) === 'centre' &&
    settings.bus?.startsWith('tls://') === true &&
    given.every((name) => settings[name] === undefined)
  );
}

export function busFilesOf(settings: Settings) {
  if (isOwnAuthority(settings)) return { ...ownFiles(settings.data), credentials: undefined };
  return {
    authority: settings['bus-ca'],
    certificate: settings['bus-cert'],
    key: settings['bus-key'],
    credentials: settings['bus-credentials'],
  };
}
