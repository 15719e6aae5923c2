// How much is going on: rates, counts and room, as plain figures.
import type { Overview } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { isStale } from '../../data/staleness.ts';
import { bytesText, countText } from '../../parts/figure-text.ts';
import { StaleMark } from '../../parts/quality-mark.tsx';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';

/** Longer ones, such as moments, are no figures. */
const mostLarge = 12;

interface Figure {
  readonly text: string;
  readonly what: string;
  readonly href?: string;
}

export function Figures({ overview }: { readonly overview: Overview }) {
  const { figures } = words.value.start;
  return (
    <section class="panel">
      <h2>
        {figures.title} <StaleMark />
      </h2>
      <dl class="start-figures" data-stale={isStale.value ? 'true' : undefined}>
        {figuresOf(overview).map(({ text, what, href }) => (
          <div key={what}>
            <dt class="quiet">{href === undefined ? what : <a href={href}>{what}</a>}</dt>
            <dd class={text.length > mostLarge ? 'small' : undefined}>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function figuresOf({ service, measurements, connectors, plant, configuration, ...others }: Overview): Figure[] {
  const { figures } = words.value.start;
  const { good, uncertain, bad } = measurements;
  const all = Object.values(connectors).reduce((sum, each) => sum + each, 0);
  const modules = others['function-modules'];
  const allModules = Object.values(modules).reduce((sum, each) => sum + each, 0);
  const { of } = words.value.common;
  const found: Figure[] = [
    { text: countText(good + uncertain + bad), what: figures.points, href: '/points' },
    { text: countText(good), what: figures.good, href: '/points?quality=good' },
    { text: countText(uncertain), what: figures.uncertain, href: '/points?quality=uncertain' },
    { text: countText(bad), what: figures.bad, href: '/points?quality=bad' },
    { text: of(connectors.up, all), what: figures.connectors, href: '/connectors' },
    { text: of(modules.RUN, allModules), what: figures.modules, href: '/modules' },
  ];
  if (plant !== null) {
    found.push(
      { text: countText(Math.round(plant['values-per-second'])), what: figures.values },
      { text: countText(Math.round(plant['records-per-second'])), what: figures.records },
      { text: countText(plant['channel-clients']), what: figures.clients },
      { text: bytesText(plant['archive-bytes']), what: figures.archive, href: '/archive' },
    );
    const free = plant['disk-free-bytes'];
    if (free !== null) found.push({ text: bytesText(free), what: figures.free });
  }
  const revision = configuration?.revision;
  if (revision) found.push({ text: `${revision.id}`, what: figures.revision, href: '/config/revisions' });
  found.push(
    { text: service.version, what: figures.version, href: '/system' },
    { text: momentText(fromTimestamp(service.started)), what: figures.started },
  );
  return found;
}
