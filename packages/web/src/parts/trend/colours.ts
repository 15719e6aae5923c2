// The colours of a trend as the present theme has them, and the dashes that tell pens apart without colour.

const colourCount = 8;

/** Of a pen, in pixels of the screen; none: a whole line. The same colour comes again with another one. */
const dashes: readonly (readonly number[])[] = [
  [],
  [10, 4],
  [3, 3],
  [12, 3, 3, 3],
  [18, 5],
  [6, 2],
  [2, 5],
  [8, 3, 2, 3, 2, 3],
];

export interface Colours {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly faint: string;
  readonly panel: string;
  readonly accent: string;
  readonly past: string;
  readonly pens: readonly string[];
  readonly severities: readonly string[];
  readonly onSeverities: readonly string[];
  readonly font: string;
}

export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('text'),
    quiet: of('quiet'),
    line: of('line'),
    faint: of('faint'),
    panel: of('panel'),
    accent: of('accent'),
    past: of('past'),
    pens: Array.from({ length: colourCount }, (_, at) => of(`pen-${at}`)),
    severities: [0, 1, 2, 3, 4].map((at) => of(`severity-${at}`)),
    onSeverities: [0, 1, 2, 3, 4].map((at) => of(`on-severity-${at}`)),
    font: style.fontFamily,
  };
}

export function penColour({ pens, text }: Colours, colour: number): string {
  return pens[colour % colourCount] ?? text;
}

/** Each colour with a dash of its own, and with another one each time that it comes again. */
export function penDash(colour: number): readonly number[] {
  return dashes[(colour + Math.floor(colour / colourCount)) % dashes.length] ?? [];
}

export function penClass(colour: number): string {
  return `trend-pen-${colour % colourCount}`;
}
