// One picture as it lives: its elements open what they name, and lead from picture to picture.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { moment } from '../../data/moment.ts';
import { revision } from '../../data/overview.ts';
import { getPicture } from '../../data/pictures.ts';
import { TelltaleProblem } from '../../data/service.ts';
import { may } from '../../data/session.ts';
import { useKeys } from '../../parts/keys.ts';
import type { Opens } from '../../parts/picture/bindings.ts';
import { filled, scopeOf } from '../../parts/picture/parameters.ts';
import { PictureDrawing } from '../../parts/picture/picture.tsx';
import type { PictureRuntime } from '../../parts/picture/picture-runtime.ts';
import type { PointState } from '../../parts/picture/point-state.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useRead } from '../../parts/use-read.ts';
import { go, setViewQuery, viewPlace } from '../../router.ts';
import { words } from '../../words/words.ts';
import { noteOpened, openedPictures } from './opened-pictures.ts';

export function PictureShown({ name }: { readonly name: string }) {
  const { pictures, common } = words.value;
  const { value: picture, error, again } = useRead((signal) => getPicture(name, signal), [name, revision.value]);
  const mistakes = useSignal(0);
  const whole = useRef<HTMLDivElement>(null);
  const { query } = viewPlace.value;
  const scope = scopeOf(picture?.parameters, query);
  const title = filled(picture?.description || name, scope);
  const chosen = [...scope].filter(([key]) => query.has(key)).map(([, text]) => text);
  const heading = headingOf(title, chosen);
  const address = addressOf(name, query);
  useEffect(() => {
    if (picture !== undefined) noteOpened({ address, title: heading });
  }, [picture, address, heading]);
  const toggleFullScreen = () => {
    if (document.fullscreenElement !== null) void document.exitFullscreen();
    else void whole.current?.requestFullscreen().catch(() => undefined);
  };
  useKeys(
    () => [
      { key: 'f', text: pictures.fullScreen, run: toggleFullScreen },
      { key: 'Backspace', text: pictures.back, run: goBack },
    ],
    [pictures],
  );
  if (picture === undefined && error !== undefined) {
    const isMissing = error instanceof TelltaleProblem && error.status === 404;
    return (
      <div class="view">
        {isMissing ? <p>{pictures.missing(name)}</p> : <ProblemText error={error} />}
        <div class="row">
          <a class="button" href="/pictures">
            {pictures.toList}
          </a>
          <button type="button" onClick={again}>
            {common.retry}
          </button>
          {isMissing && may('configure') && moment.value === undefined && (
            <a class="button" href={`/pictures/${name}?edit=1`}>
              {common.edit}
            </a>
          )}
        </div>
      </div>
    );
  }
  const trail = openedPictures.value;
  const onRuntime = (runtime: PictureRuntime | undefined) => {
    mistakes.value = runtime?.mistakes.length ?? 0;
  };
  return (
    <div class="view whole pictures-shown" ref={whole}>
      <header class="view-head">
        <nav class="pictures-trail" aria-label={pictures.opened}>
          <a href="/pictures">{words.value.shell.views.pictures}</a>
          {trail.slice(0, -1).map((opened) => (
            <span key={opened.address}>
              <span aria-hidden="true"> › </span>
              <a href={opened.address}>{opened.title}</a>
            </span>
          ))}
          <span aria-hidden="true"> › </span>
        </nav>
        <h1>{picture === undefined ? common.loading : heading}</h1>
        {mistakes.value > 0 && may('configure') && <span class="error">! {pictures.mistakes(mistakes.value)}</span>}
        <span class="grow" />
        {trail.length > 1 && (
          <button type="button" onClick={goBack}>
            ← {pictures.back}
          </button>
        )}
        {may('configure') && moment.value === undefined && (
          <button type="button" onClick={() => setViewQuery({ edit: '1' })}>
            {common.edit}
          </button>
        )}
        {document.fullscreenEnabled && (
          <button type="button" title={`${pictures.fullScreen} (F)`} onClick={toggleFullScreen}>
            {pictures.fullScreen}
          </button>
        )}
      </header>
      {picture !== undefined && error !== undefined && <ProblemText error={error} />}
      {picture !== undefined && (
        <PictureDrawing svg={picture.svg} scope={scope} title={heading} open={openIt} onRuntime={onRuntime} />
      )}
    </div>
  );
}

/** A picture that serves many says which one it shows, also where its description does not. */
function headingOf(title: string, parameters: readonly string[]): string {
  const unsaid = parameters.filter((text) => text !== '' && !title.includes(text));
  return [title, ...unsaid].join(': ');
}

function goBack(): void {
  const before = openedPictures.peek().at(-2);
  go(before?.address ?? '/pictures');
}

function addressOf(name: string, query: URLSearchParams): string {
  const parameters = new URLSearchParams([...query].filter(([key]) => key !== 'at' && key !== 'edit'));
  return `/pictures/${name}${parameters.size === 0 ? '' : `?${parameters}`}`;
}

function openIt(opens: Opens, kind: PointState['kind']): void {
  if (opens.kind === 'picture')
    go(addressOf(opens.name, new URLSearchParams(opens.parameters.map(([key, text]) => [key, text]))));
  else if (opens.kind === 'trend') go(`/trends/${opens.name}`);
  else if (opens.kind === 'point') {
    const query = kind === undefined || kind === 'measurements' ? '' : `?kind=${kind}`;
    go(`/points/${opens.point.name}${query}`, { over: true });
  }
}
