// Marks of what happened in a trend: transitions of alarms as their severity's digit at the top, changes of the configuration as lines.
import type { Mark } from '../../data/trend-marks.ts';
import type { Colours } from './colours.ts';
import type { Frame } from './draw-pen.ts';

export interface DrawMarksOptions {
  readonly frame: Frame;
  readonly ratio: number;
  /** In time order. */
  readonly marks: readonly Mark[];
  readonly colours: Colours;
}

/** Marks nearer than this are drawn as one. */
const nearPx = 3;

export function drawMarks(context: CanvasRenderingContext2D, { frame, ratio, marks, colours }: DrawMarksOptions): void {
  const scale = frame.width / (frame.until - frame.from);
  let drawnX = Number.NEGATIVE_INFINITY;
  context.save();
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `bold ${10 * ratio}px ${colours.font}`;
  for (const mark of marks) {
    if (mark.t < frame.from || mark.t >= frame.until) continue;
    const x = Math.round(frame.left + (mark.t - frame.from) * scale);
    if (x - drawnX < nearPx * ratio) continue;
    drawnX = x;
    const colour = mark.kind === 'revision' ? colours.past : (colours.severities[mark.severity] ?? colours.quiet);
    context.strokeStyle = colour;
    context.lineWidth = (mark.kind === 'revision' ? 1.5 : 1) * ratio;
    context.setLineDash(mark.kind === 'revision' ? [2 * ratio, 2 * ratio] : [5 * ratio, 3 * ratio]);
    context.beginPath();
    context.moveTo(x, frame.top);
    context.lineTo(x, frame.top + frame.height);
    context.stroke();
    context.setLineDash([]);
    const size = 13 * ratio;
    const top = frame.top + 1;
    context.strokeStyle = colours.text;
    context.fillStyle = mark.kind === 'alarm' && mark.isActive ? colour : colours.panel;
    context.lineWidth = ratio;
    context.beginPath();
    if (mark.kind === 'revision') {
      context.moveTo(x, top);
      context.lineTo(x + size / 2, top + size / 2);
      context.lineTo(x, top + size);
      context.lineTo(x - size / 2, top + size / 2);
      context.closePath();
    } else context.rect(x - size / 2, top, size, size);
    context.fill();
    context.stroke();
    if (mark.kind === 'revision') continue;
    context.fillStyle = mark.isActive ? (colours.onSeverities[mark.severity] ?? colours.text) : colours.text;
    context.fillText(String(mark.digit), x, top + size / 2 + 0.5);
  }
  context.restore();
}
