// What is said of forcing and of what is forced, in German.
import type { Words } from '../words.ts';

export const forced: Words['forced'] = {
  title: 'Gesetzte Werte',
  none: 'Nichts ist gesetzt: alle Werte sind die der Geräte.',
  count: (count) => (count === 1 ? '1 Wert ist gesetzt' : `${count} Werte sind gesetzt`),
  remaining: 'Noch',
  untilReleased: 'bis jemand ihn aufhebt',
  release: 'Aufheben',
  releaseSelected: (count) => `${count} aufheben`,
  releaseAll: 'Alle aufheben …',
  releaseAllAsk: (count) =>
    count === 1 ? 'Den einen gesetzten Wert aufheben?' : `Alle ${count} gesetzten Werte aufheben?`,
  releaseWhy: 'Ab sofort gelten wieder die Werte der Geräte.',
  released: (count) => (count === 1 ? '1 gesetzter Wert aufgehoben' : `${count} gesetzte Werte aufgehoben`),
  notNow:
    'Was zu einem vergangenen Zeitpunkt gesetzt war, ist an seinen Werten gekennzeichnet. Hier steht, was jetzt gesetzt ist.',
  forceMany: (count) => `${count} Punkte setzen`,
  asNow: 'Jeden auf seinem jetzigen Wert halten',
  oneValue: 'Alle auf diesen Wert',
  forced: (count) => (count === 1 ? '1 Wert gesetzt' : `${count} Werte gesetzt`),
  failed: (count) => (count === 1 ? '1 davon wurde nicht ausgeführt:' : `${count} davon wurden nicht ausgeführt:`),
  andMore: (count) => `… und ${count} weitere`,
  noValue: 'Es gibt noch keinen Wert, der gehalten werden könnte.',
};
