// What the view start says, in German.
import type { Words } from '../words.ts';

export const start: Words['start'] = {
  calm: 'Alles ist, wie es sein soll.',
  calmWhy: 'Alle Verbindungen stehen, kein Wert ist schlecht, kein Alarm wartet.',
  wrong: (count) => (count === 1 ? '1 Meldung ist zu beachten' : `${count} Meldungen sind zu beachten`),
  begin: {
    title: 'Noch ist nichts verbunden. Hier geht es los:',
    why: 'Ein Gerät verbinden, durchsehen, was es hat, und seine Punkte übernehmen.',
    connect: 'Gerät verbinden',
    guide: 'Anleitung: erste Schritte',
  },
  notes: 'Gut zu wissen',
  link: { connecting: 'verbindet', up: 'verbunden', down: 'getrennt', failed: 'gestört', disabled: 'abgeschaltet' },
  kinds: {
    service: 'Dienst',
    disk: 'Datenträger',
    connector: 'Konnektor',
    provider: 'Provider',
    module: 'Modul',
    point: 'Punkt',
    points: 'Punkte',
    alarm: 'Alarm',
    configuration: 'Konfiguration',
    forced: 'Gesetzt',
  },
  linkState: (name, state, error) => `${name} ist ${state}${error === '' ? '' : `: ${error}`}`,
  device: (device, name, error) => `Gerät ${device} an ${name} antwortet nicht${error === '' ? '' : `: ${error}`}`,
  moduleFailed: (name, error) => `${name} ist ausgefallen${error === '' ? '' : `: ${error}`}`,
  moduleStopped: (name) => `${name} ist gestoppt`,
  badPoints: (count) => (count === 1 ? '1 Wert ist schlecht' : `${count} Werte sind schlecht`),
  badOf: (connector, count) => `${count} Werte von ${connector} sind schlecht`,
  badPoint: (name, quality) => `${name}: ${quality}`,
  moreAlarms: (count) => `${count} weitere Alarme`,
  notRendered: (count) =>
    count === 1
      ? '1 Objekt ist geändert und noch nicht aktiviert'
      : `${count} Objekte sind geändert und noch nicht aktiviert`,
  forced: (count) => (count === 1 ? '1 Wert ist gesetzt' : `${count} Werte sind gesetzt`),
  figures: {
    title: 'Jetzt',
    values: 'Werte je Sekunde',
    records: 'Einträge je Sekunde',
    clients: 'Clients am Kanal',
    points: 'Messwerte',
    good: 'gut',
    uncertain: 'unsicher',
    bad: 'schlecht',
    archive: 'Archiv',
    free: 'frei am Datenträger',
    revision: 'aktive Revision',
    version: 'Version',
    started: 'läuft seit',
    connectors: 'Konnektoren verbunden',
    modules: 'laufende Module',
  },
};
