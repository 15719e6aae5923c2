// The names of the archive's files. FORMAT.md lists them.

/** What the name of a block says: its partition, its generations, and how often it was rewritten. */
export interface BlockSpan {
  readonly partition: number;
  readonly genFrom: number;
  readonly genTo: number;
  readonly rewrite: number;
}

/** The partition of records whose clock was wrong. */
export const astray = 2 ** 32 - 1;

export const seriesCatalogueName = 'series.ttc';
export const tombstonesName = 'erasures.tte';
export const retentionsName = 'retentions.ttr';
export const outgoingName = 'outgoing.tto';
export const epochsName = 'epochs.ttn';
export const inventoryName = 'inventory.tti';

const journalPattern = /^journal-(\d{1,10})\.ttj$/;
const unsentPattern = /^unsent-(\d{1,10})\.ttj$/;
const blockPattern = /^block-(\d{1,10}|astray)-(\d{1,10})-(\d{1,10})-(\d{1,10})\.ttb$/;

export function journalName(generation: number): string {
  return `journal-${generation}.ttj`;
}

/** The generation of a journal; undefined: it is not the name of a journal. */
export function generationOf(name: string): number | undefined {
  const digits = journalPattern.exec(name)?.[1];
  return digits === undefined ? undefined : whole(digits);
}

/** Of a journal whose generation is in blocks, and was sent in part. */
export function unsentName(generation: number): string {
  return `unsent-${generation}.ttj`;
}

/** The generation of such a journal; undefined: it is not the name of one. */
export function unsentGenerationOf(name: string): number | undefined {
  const digits = unsentPattern.exec(name)?.[1];
  return digits === undefined ? undefined : whole(digits);
}

export function blockName({ partition, genFrom, genTo, rewrite }: BlockSpan): string {
  return `block-${partition === astray ? 'astray' : partition}-${genFrom}-${genTo}-${rewrite}.ttb`;
}

/** What the name of a block says; undefined: it is not the name of a block. */
export function blockSpanOf(name: string): BlockSpan | undefined {
  const parts = blockPattern.exec(name);
  if (parts === null) return undefined;
  const [partition, genFrom, genTo, rewrite] = parts.slice(1).map((part) => (part === 'astray' ? astray : whole(part)));
  if (partition === undefined || genFrom === undefined || genTo === undefined || rewrite === undefined)
    return undefined;
  const span = { partition, genFrom, genTo, rewrite };
  return blockName(span) === name && genFrom <= genTo ? span : undefined;
}

/** What half-finished work may have left behind: to be removed at opening. */
export function isTemporary(name: string): boolean {
  return name.endsWith('.tmp');
}

function whole(digits: string): number | undefined {
  const number = Number(digits);
  return number < 2 ** 32 && String(number) === digits ? number : undefined;
}
