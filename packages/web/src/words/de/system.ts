// What the view system says, in German.
import type { Words } from '../words.ts';

export const system: Words['system'] = {
  title: 'System',
  docs: 'Referenz und Anleitungen',
  health: 'Zustand',
  ready: 'Der Dienst erfüllt alle seine Aufgaben.',
  notReady: 'Der Dienst erfüllt nicht alle seine Aufgaben:',
  whatToDo: 'Was zu tun ist',
  warnings: 'Bald zu tun',
  missing: 'Etwas, das gespeichert war, fehlt',
  missingWhat: 'Bei angehaltenem Dienst aus einer Sicherung zurückholen, oder bestätigen, dass es weg ist.',
  acknowledge: 'Bestätigen, dass es weg ist',
  version: 'Version',
  machine: 'Maschine',
  started: 'Gestartet',
  uptime: 'Läuft seit',
  zone: 'Zeitzone der Anlage',
  clients: 'Clients am Kanal',
  disk: 'Freier Platz',
  backup: 'Sicherung der Konfiguration',
  backupWhat: 'Die gesamte Konfiguration ist eine SQLite-Datei, in sich stimmig auch während andere arbeiten.',
  wholeBackup:
    'Sie enthält keine Benutzer, kein Archiv, kein Audit-Protokoll und keine Programme von Modulen: für eine ganze Sicherung den Datenordner bei angehaltenem Dienst kopieren.',
  backupGuide: 'Was zu einer Sicherung gehört',
  download: 'Konfiguration herunterladen',
  file: 'Datei',
  upload: 'Hochladen und vergleichen',
  uploadWhy: 'Sie ersetzt, was bearbeitet ist; in Betrieb geht noch nichts.',
  editsGo: (count) => `${count} offene Änderungen werden dadurch ersetzt.`,
  differs: (count) =>
    count === 0
      ? 'Sie gleicht dem, was in Betrieb ist.'
      : `Hochgeladen. Sie unterscheidet sich von dem, was in Betrieb ist, in ${count} Objekten:`,
  changes: { added: 'neu', changed: 'geändert', removed: 'entfernt' },
  render: 'In Betrieb nehmen',
  rendered: 'Sie ist in Betrieb.',
  discard: 'Verwerfen',
  discarded: 'Verworfen: die Konfiguration ist, was in Betrieb ist.',
  look: 'Feld für Feld ansehen',
  metrics: 'Metriken',
  metricCount: (count) => (count === 1 ? '1 Metrik' : `${count} Metriken`),
  labels: 'Merkmale',
  readAgain: 'Neu lesen',
};
