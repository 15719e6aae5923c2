// What a trend draws: its pens, as they are in an address, `tank1_level,pump1_start:command:own,tank2_level:line:hidden`.
import type { PointKind } from '../../data/live-value.ts';

export type PenStyle = 'step' | 'line';

/** `unit`: shared by all of the same unit; `own`; or a number: shared by all with that number. */
export type PenAxis = 'unit' | 'own' | '1' | '2' | '3' | '4';
export const penAxes: readonly PenAxis[] = ['unit', 'own', '1', '2', '3', '4'];

export interface Pen {
  readonly kind: PointKind;
  readonly name: string;
  readonly axis: PenAxis;
  readonly style: PenStyle;
  readonly isHidden: boolean;
  /** From 0; the pen keeps it when others go. */
  readonly colour: number;
}

/** A trend with more cannot be read; named trends have as many at most. */
export const mostPens = 32;

const identifier = /^[_a-zA-Z0-9]{1,64}$/;

export function penOf(kind: PointKind, name: string, colour = 0): Pen {
  return { kind, name, axis: 'unit', style: 'step', isHidden: false, colour };
}

export function keyOfPen({ kind, name }: Pick<Pen, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

/** What makes no sense is left out. */
export function pensOf(text: string): Pen[] {
  const pens = new Map<string, Pen>();
  for (const [at, part] of text.split(',').entries()) {
    const [name = '', ...options] = part.split(':');
    if (!identifier.test(name) || pens.size === mostPens) continue;
    const pen: Pen = {
      kind: options.includes('command') ? 'commands' : 'measurements',
      name,
      axis: penAxes.find((axis) => options.includes(axis === 'own' ? 'own' : `axis${axis}`)) ?? 'unit',
      style: options.includes('line') ? 'line' : 'step',
      isHidden: options.includes('hidden'),
      colour: colourIn(options) ?? at,
    };
    pens.set(keyOfPen(pen), pen);
  }
  return [...pens.values()];
}

export function penText(pens: readonly Pen[]): string {
  return pens
    .map(({ kind, name, axis, style, isHidden, colour }, at) => {
      const options = [
        kind === 'commands' && 'command',
        axis === 'own' ? 'own' : axis !== 'unit' && `axis${axis}`,
        style === 'line' && 'line',
        isHidden && 'hidden',
        colour !== at && `c${colour}`,
      ];
      return [name, ...options.filter((option) => option !== false)].join(':');
    })
    .join(',');
}

/** The first colour that no pen has. */
export function freeColour(pens: readonly Pen[]): number {
  const taken = new Set(pens.map(({ colour }) => colour));
  let colour = 0;
  while (taken.has(colour)) colour++;
  return colour;
}

function colourIn(options: readonly string[]): number | undefined {
  const found = options.map((option) => /^c(\d{1,2})$/.exec(option)?.[1]).find((digits) => digits !== undefined);
  return found === undefined ? undefined : Number(found);
}
