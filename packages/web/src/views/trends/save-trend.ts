// A trend as a file: its records as CSV, its picture as PNG.
import { readCsv } from '../../data/history.ts';
import { saveBlob } from '../../parts/save-file.ts';
import { momentText, zone } from '../../parts/times.ts';
import { penColour, penDash } from '../../parts/trend/colours.ts';
import type { Pen } from '../../parts/trend/pen.ts';
import type { TrendParts } from '../../parts/trend/trend-parts.ts';
import { words } from '../../words/words.ts';

const mostMegabytes = 512;

/** The window has more records than a browser should hold. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  readonly limit = `${mostMegabytes} MB`;
}

/** Every record of the pens in the window; measurements and commands are two files. */
export async function saveCsv(pens: readonly Pen[], from: number, until: number): Promise<void> {
  for (const kind of ['measurements', 'commands'] as const) {
    const names = pens.filter((pen) => pen.kind === kind).map(({ name }) => name);
    if (names.length === 0) continue;
    const end = new AbortController();
    const { stream } = await readCsv({ kind, names, from, until }, end.signal);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = stream.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      chunks.push(read.value);
      bytes += read.value.length;
      if (bytes <= mostMegabytes << 20) continue;
      end.abort();
      throw new TooLarge();
    }
    saveBlob(`${kind}-${fileTime(from)}.csv`, new Blob(chunks, { type: 'text/csv' }));
  }
}

const margin = 12;
const lineHeight = 20;
const headHeight = 2 * lineHeight + margin;

/** What is drawn, under its window and zone, over its legend. */
export async function savePng({ model, drawing }: TrendParts): Promise<void> {
  const source = drawing?.plot.canvas;
  const drawn = drawing?.last;
  if (source === undefined || drawn === undefined) return;
  const ratio = devicePixelRatio;
  const width = source.width / ratio;
  const { colours, from, until } = drawn;
  const canvas = document.createElement('canvas');
  const height = headHeight + source.height / ratio + (drawn.pens.length + 1) * lineHeight;
  canvas.width = source.width;
  canvas.height = Math.ceil(height * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(ratio, ratio);
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, width, height);
  context.fillStyle = colours.text;
  context.textBaseline = 'middle';
  context.font = `bold 14px ${colours.font}`;
  context.fillText(model.title.peek() ?? words.peek().shell.views.trends, margin, lineHeight, width - 2 * margin);
  context.font = `12px ${colours.font}`;
  context.fillText(
    `${momentText(from)} – ${momentText(until)} (${zone.peek()})`,
    margin,
    2 * lineHeight,
    width - 2 * margin,
  );
  context.drawImage(source, 0, headHeight, width, source.height / ratio);
  for (const [at, pen] of drawn.pens.entries()) {
    const y = headHeight + source.height / ratio + (at + 0.5) * lineHeight;
    context.strokeStyle = penColour(colours, pen.pen.colour);
    context.lineWidth = 2;
    context.setLineDash([...penDash(pen.pen.colour)]);
    context.beginPath();
    context.moveTo(margin, y);
    context.lineTo(margin + 28, y);
    context.stroke();
    context.fillStyle = colours.text;
    const facts = typeof pen.facts === 'string' ? undefined : pen.facts;
    const parts = [`${drawn.numberOf(pen)}  ${pen.pen.name}`, facts?.eu, facts?.description].filter((part) => part);
    context.fillText(parts.join('  '), margin + 32, y, width - 2 * margin - 32);
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob !== null) saveBlob(`${model.title.peek() ?? 'trend'}-${fileTime(from)}.png`, blob);
}

function fileTime(us: number): string {
  return new Date(us / 1000).toISOString().slice(0, 19).replaceAll(':', '');
}
