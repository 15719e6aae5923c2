// All pictures, by area, each with a small copy of its drawing that shows no values.
import { useSignal } from '@preact/signals';
import { isIdentifier } from '@telltale/schema/values';
import { useEffect, useRef } from 'preact/hooks';
import { moment } from '../../data/moment.ts';
import { revision } from '../../data/overview.ts';
import { getPicture, type ListedPicture, listPictures } from '../../data/pictures.ts';
import { may } from '../../data/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { instanceOf } from '../../parts/picture/instance.ts';
import { filled, scopeOf } from '../../parts/picture/parameters.ts';
import { parsePicture } from '../../parts/picture/parse-picture.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useRead } from '../../parts/use-read.ts';
import { go } from '../../router.ts';
import { words } from '../../words/words.ts';
import { forgetOpened } from './opened-pictures.ts';

export function PictureList() {
  const { pictures, shell, common } = words.value;
  const mayRead = may('read-config');
  const { value, error, again } = useRead((signal) => listPictures(mayRead, signal), [mayRead, revision.value]);
  const isNaming = useSignal(false);
  const mayEdit = may('configure') && moment.value === undefined;
  useEffect(forgetOpened, []);
  const areas = Map.groupBy(value?.pictures ?? [], ({ area = '' }) => area);
  const isEmpty = value !== undefined && value.pictures.length === 0 && value.unpublished.length === 0;
  return (
    <div class="view pictures-list">
      <header class="view-head">
        <h1>{shell.views.pictures}</h1>
        <span class="grow" />
        {mayEdit && (
          <button
            type="button"
            onClick={() => {
              isNaming.value = true;
            }}
          >
            {pictures.new}
          </button>
        )}
      </header>
      {error !== undefined && (
        <div>
          <ProblemText error={error} />
          <button type="button" onClick={again}>
            {common.retry}
          </button>
        </div>
      )}
      {value === undefined && error === undefined && <p class="quiet">{common.loading}</p>}
      {isEmpty && (
        <section class="panel">
          <h2>{pictures.none}</h2>
          {mayEdit && <p class="quiet">{pictures.noneHelp}</p>}
        </section>
      )}
      {[...areas].map(([area, members]) => (
        <section key={area}>
          <h2>{area === '' ? pictures.noArea : area}</h2>
          <ul class="pictures-cards">
            {members.map((picture) => (
              <Card key={picture.name} picture={picture} />
            ))}
          </ul>
        </section>
      ))}
      {value !== undefined && value.unpublished.length > 0 && (
        <section>
          <h2>{pictures.unpublished}</h2>
          <p class="quiet">{pictures.unpublishedWhy}</p>
          <ul class="pictures-unpublished">
            {value.unpublished.map((name) => (
              <li key={name}>{mayEdit ? <a href={`/pictures/${name}?edit=1`}>{name}</a> : name}</li>
            ))}
          </ul>
        </section>
      )}
      {isNaming.value && (
        <NewPicture
          onClose={() => {
            isNaming.value = false;
          }}
        />
      )}
    </div>
  );
}

function Card({ picture }: { readonly picture: ListedPicture }) {
  const { name, description = '' } = picture;
  return (
    <li>
      <a class="pictures-card" href={`/pictures/${name}`}>
        <Thumbnail picture={picture} />
        <strong>{filled(description || name, scopeOf(picture.parameters, new URLSearchParams()))}</strong>
        {description !== '' && <span class="quiet">{name}</span>}
      </a>
    </li>
  );
}

/** Drawn when it comes near to what is seen, and gone when it is far. */
function Thumbnail({ picture }: { readonly picture: ListedPicture }) {
  const host = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const place = host.current;
    if (place === null) return;
    const end = new AbortController();
    let drawn: Promise<SVGSVGElement | undefined> | undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting !== true) {
          place.replaceChildren();
          return;
        }
        drawn ??= draw(picture, end.signal).catch(() => undefined);
        void drawn.then((root) => {
          if (root !== undefined && !end.signal.aborted) place.replaceChildren(root);
        });
      },
      { rootMargin: '400px' },
    );
    observer.observe(place);
    return () => {
      end.abort();
      observer.disconnect();
    };
  }, [picture]);
  return <span ref={host} class="pictures-thumbnail" aria-hidden="true" />;
}

async function draw(picture: ListedPicture, signal: AbortSignal): Promise<SVGSVGElement | undefined> {
  const { svg, parameters } = await getPicture(picture.name, signal);
  const parsed = parsePicture(svg);
  if (parsed === undefined) return undefined;
  const { root } = instanceOf(parsed, scopeOf(parameters, new URLSearchParams()));
  for (const name of ['width', 'height', 'transform']) root.removeAttribute(name);
  root.classList.add('drawn');
  // A link has a name, and nothing in it is one.
  for (const title of root.querySelectorAll('title')) title.remove();
  return root;
}

function NewPicture({ onClose }: { readonly onClose: () => void }) {
  const { pictures, common } = words.value;
  const name = useSignal('');
  const isFit = isIdentifier(name.value);
  const create = (event: Event) => {
    event.preventDefault();
    if (isFit) go(`/pictures/${name.value}?edit=1`);
  };
  return (
    <Dialog
      title={pictures.new}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" form="new-picture" class="main" disabled={!isFit}>
            {pictures.create}
          </button>
        </>
      }
    >
      <form id="new-picture" onSubmit={create}>
        <label>
          {pictures.newName}{' '}
          <input
            value={name.value}
            autocomplete="off"
            spellcheck={false}
            maxLength={64}
            aria-describedby="new-picture-help"
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </label>
        <p id="new-picture-help" class="quiet">
          {pictures.newNameHelp}
        </p>
      </form>
    </Dialog>
  );
}
