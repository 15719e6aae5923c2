// Which of the two formats a client asks for by its Accept header. Pure.
import type { PageFormat } from './metric-page.ts';

/** The one that it likes best; of two that it likes alike, OpenMetrics where it is named. */
export function negotiate(accept: string | undefined): PageFormat {
  let best: { format: PageFormat; weight: number } = { format: 'text', weight: 0 };
  for (const range of (accept ?? '').slice(0, 4096).split(',')) {
    const [media = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const format = formatOf(media, parameters);
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    if (format === undefined || !(weight > 0)) continue;
    if (weight > best.weight || (weight === best.weight && format === 'openmetrics')) best = { format, weight };
  }
  return best.format;
}

function formatOf(media: string, parameters: readonly string[]): PageFormat | undefined {
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice(8);
  if (media === 'application/openmetrics-text') {
    return version === undefined || version === '1.0.0' ? 'openmetrics' : undefined;
  }
  if (media === 'text/plain') return version === undefined || version === '0.0.4' ? 'text' : undefined;
  return media === 'text/*' || media === '*/*' ? 'text' : undefined;
}
