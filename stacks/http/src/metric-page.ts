// The page that Prometheus scrapes, in its text format 0.0.4 or in OpenMetrics 1.0.0, made from what the points have. Pure.
import { type Datatype, describeQuality, form, formatText, isBad, qualityMask, traitsOf } from '@telltale/schema';
import type { MetricType } from './metric-address.ts';

export type PageFormat = 'text' | 'openmetrics';

export const contentTypes: Readonly<Record<PageFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

export interface Sample {
  /** `{tank="1"}`, escaped, without the braces; empty where there are none. */
  readonly labels: string;
  readonly pointName: string;
  /** It has no quality of its own, and may have the name of a measurement. */
  readonly isCommand: boolean;
  readonly datatype: Datatype;
  /** Undefined before the first, and of a command that was never written. */
  value: number | bigint | string | undefined;
  quality: number;
  timeUs: number;
}

/** All samples of one name: they stand together. */
export interface Family {
  /** As the samples have it: of a counter with `_total`, of a text with `_info`. */
  readonly sampleName: string;
  readonly type: MetricType;
  readonly help: string;
  readonly samples: Sample[];
}

export interface PageOptions {
  readonly badQuality: 'absent' | 'nan';
  /** Empty: none. */
  readonly qualityMetric: string;
  readonly timestamps: boolean;
}

/** Longer texts are truncated in labels, since Prometheus stores every distinct label value. */
const maxLabelLength = 1024;

/** Line by line: a page may be of very many points. */
export function* metricLines(
  families: Iterable<Family>,
  format: PageFormat,
  options: PageOptions,
): Generator<string, void> {
  const qualities: Sample[] = [];
  for (const family of families) {
    const samples = family.samples.filter((sample) => isShown(sample, options));
    for (const sample of family.samples) if (!sample.isCommand) qualities.push(sample);
    if (samples.length === 0) continue;
    yield* head(family, format);
    for (const sample of samples) yield sampleLine(family, sample, format, options);
  }
  if (options.qualityMetric !== '' && qualities.length > 0) yield* qualityLines(qualities, format, options);
  if (format === 'openmetrics') yield '# EOF';
}

/** Backslash, quote and line break, as both formats want them in a label. */
export function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** A bad text has no sample: its label would be false. Nor has a command that was never written. */
function isShown({ value, quality, datatype, isCommand }: Sample, { badQuality }: PageOptions): boolean {
  const isText = traitsOf(datatype).form === form.text;
  if (value === undefined) return !isCommand && !isText && badQuality === 'nan';
  return !isBad(quality) || (badQuality === 'nan' && !isText);
}

/** As OpenMetrics names the family: without the suffix of its samples. */
export function familyName(sampleName: string, type: MetricType): string {
  if (type === 'counter') return sampleName.replace(/_total$/, '');
  return type === 'info' ? sampleName.replace(/_info$/, '') : sampleName;
}

function* head({ sampleName, type, help }: Family, format: PageFormat): Generator<string, void> {
  const isOpen = format === 'openmetrics';
  const name = isOpen ? familyName(sampleName, type) : sampleName;
  // The text format knows no info metrics: there they are gauges of 1.
  const shownType = type === 'info' && !isOpen ? 'gauge' : type;
  if (help !== '') {
    const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
    yield `# HELP ${name} ${isOpen ? escaped.replaceAll('"', '\\"') : escaped}`;
  }
  yield `# TYPE ${name} ${shownType}`;
}

function sampleLine({ sampleName }: Family, sample: Sample, format: PageFormat, options: PageOptions): string {
  const { labels, value, quality, datatype } = sample;
  const isText = traitsOf(datatype).form === form.text;
  const text = isText ? `value="${escapeLabel(shortened(String(value)))}"` : '';
  const all = [labels, text].filter((part) => part !== '').join(',');
  const number = isText ? '1' : value === undefined || isBad(quality) ? 'NaN' : formatNumber(datatype, value);
  return `${sampleName}${all === '' ? '' : `{${all}}`} ${number}${timeSuffix(sample, format, options)}`;
}

function* qualityLines(samples: readonly Sample[], format: PageFormat, options: PageOptions): Generator<string, void> {
  const { qualityMetric: sampleName } = options;
  const help = `Quality of a point: ${[192, 64, 0].map((each) => `${each} ${describeQuality(each)}`).join(', ')}`;
  yield* head({ sampleName, type: 'gauge', help, samples: [] }, format);
  for (const sample of samples) {
    const suffix = timeSuffix(sample, format, options);
    // Without the flags above it, such as that of a simulation: with them, what is bad would be above what is good.
    const shown = sample.quality & qualityMask.archived;
    yield `${sampleName}{point="${escapeLabel(sample.pointName)}"} ${shown}${suffix}`;
  }
}

function timeSuffix({ timeUs }: Sample, format: PageFormat, { timestamps }: PageOptions): string {
  if (!timestamps || timeUs <= 0) return '';
  return format === 'text' ? ` ${Math.round(timeUs / 1000)}` : ` ${(timeUs / 1e6).toFixed(6).replace(/\.?0+$/, '')}`;
}

function formatNumber(datatype: Datatype, value: number | bigint | string): string {
  return typeof value === 'number' && traitsOf(datatype).precision === 'single'
    ? formatText(datatype, Math.fround(value))
    : String(value);
}

function shortened(text: string): string {
  if (text.length <= maxLabelLength) return text;
  return `${text.slice(0, maxLabelLength).replace(/[\ud800-\udbff]$/, '')}…`;
}
