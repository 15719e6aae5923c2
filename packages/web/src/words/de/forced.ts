// What is said of forcing and of what is forced, in German.
import type { Words } from '../words.ts';

export const forced: Words['forced'] = {
  title: 'Gesetzt',
  none: 'Nichts ist gesetzt: alle Werte sind die der Geräte.',
  count: (count) => (count === 1 ? '1 Wert ist gesetzt' : `${count} Werte sind gesetzt`),
  remaining: 'Noch',
  untilReleased: 'bis zur Freigabe',
  release: 'Freigeben',
  releaseSelected: (count) => `${count} freigeben`,
  releaseAll: 'Alle freigeben …',
  releaseAllAsk: (count) =>
    count === 1 ? 'Den einen gesetzten Wert freigeben?' : `Alle ${count} gesetzten Werte freigeben?`,
  releaseWhy: 'Ab sofort gelten wieder die Werte der Geräte.',
  released: (count) => (count === 1 ? '1 Wert freigegeben' : `${count} Werte freigegeben`),
  notNow:
    'Was zu einem vergangenen Zeitpunkt gesetzt war, ist an seinen Werten gekennzeichnet. Hier steht, was jetzt gesetzt ist.',
  forceMany: (count) => `${count} Punkte setzen`,
  asNow: 'Jeden auf seinem jetzigen Wert halten',
  oneValue: 'Alle auf diesen Wert',
  forced: (count) => (count === 1 ? '1 Wert gesetzt' : `${count} Werte gesetzt`),
  failed: (count) => (count === 1 ? '1 davon wurde nicht ausgeführt:' : `${count} davon wurden nicht ausgeführt:`),
  andMore: (count) => `… und ${count} weitere`,
  noValue: 'Es gibt noch keinen Wert, auf dem er gehalten werden könnte.',
};
