// The drawer of one point: which kind it is, and its name; what there is to see and to do is left to the panels of the kinds.
import { type AnyKind, findPoint, type Named, namesLike } from '../../data/find-point.ts';
import { link } from '../../data/service.ts';
import { pointPath } from '../../parts/point-path.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useRead } from '../../parts/use-read.ts';
import { place } from '../../router.ts';
import type { ViewProps } from '../../routes.ts';
import { words } from '../../words/words.ts';
import { AlarmPanel } from './alarm-panel.tsx';
import { CommandPanel } from './command-panel.tsx';
import { MeasurementPanel } from './measurement-panel.tsx';

export default function PointView({ parameters }: ViewProps) {
  const { name = '' } = parameters;
  const wanted = place.value.query.get('kind') ?? '';
  return <Point key={`${wanted} ${name}`} name={name} wanted={wanted} />;
}

function Point({ name, wanted }: { readonly name: string; readonly wanted: string }) {
  const { common } = words.value;
  const isConnected = link.value.state === 'connected';
  const { value, error, isLoading, again } = useRead(
    async (signal) => ({ found: await findPoint(name, wanted, signal) }),
    [name, wanted, isConnected],
  );
  if (value === undefined) {
    return (
      <div class="view point">
        <h1>{name}</h1>
        {error === undefined || isLoading ? (
          <p class="quiet">{common.loading}</p>
        ) : (
          <>
            <ProblemText error={error} />
            <button type="button" onClick={again}>
              {common.retry}
            </button>
          </>
        )}
      </div>
    );
  }
  if (value.found === undefined) return <NotFound name={name} />;
  return (
    <article class="view point">
      <Head name={name} found={value.found} />
      <Panel name={name} kind={value.found.kind} />
    </article>
  );
}

function Head({ name, found }: { readonly name: string; readonly found: Named }) {
  const { kind, description, area } = found;
  return (
    <header class="point-head">
      <p class="quiet">
        {words.value.point.kinds[kind]}
        {area !== '' && <span> · {area}</span>}
      </p>
      <h1>{name}</h1>
      {description !== '' && <p>{description}</p>}
    </header>
  );
}

function Panel({ name, kind }: { readonly name: string; readonly kind: AnyKind }) {
  if (kind === 'measurements') return <MeasurementPanel name={name} />;
  return kind === 'commands' ? <CommandPanel name={name} /> : <AlarmPanel name={name} />;
}

function NotFound({ name }: { readonly name: string }) {
  const { point } = words.value;
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  const { value: near = [] } = useRead((signal) => namesLike(name, signal), [name]);
  return (
    <div class="view point">
      <h1>{point.notFound(shown)}</h1>
      <p class="quiet">{point.notFoundWhy}</p>
      {near.length > 0 && (
        <section>
          <h2>{point.near}</h2>
          <ul class="point-near">
            {near.map(({ kind, name: other, description }) => (
              <li key={`${kind} ${other}`}>
                <a href={pointPath(kind, other)} data-over>
                  {other}
                </a>{' '}
                <span class="quiet">
                  {point.kinds[kind]} {description}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
