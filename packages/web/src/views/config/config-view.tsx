// The configuration: its families, its objects, pending edits and revisions, by the address. Of the past there are revisions
// alone: these views always show what is there now.
import { familyNames } from '@telltale/schema/values';
import { useEffect } from 'preact/hooks';
import { moment, showMoment } from '../../data/moment.ts';
import { identity, may } from '../../data/session.ts';
import { go, viewPlace, viewQueryOf } from '../../router.ts';
import type { ViewProps } from '../../routes.ts';
import { words } from '../../words/words.ts';
import { ChangesView } from './changes-view.tsx';
import { ConfigHome } from './config-home.tsx';
import { draftOf, hasDrafts } from './draft.ts';
import { FamilyView } from './family-view.tsx';
import { isFamily } from './fault-list.tsx';
import { ObjectView } from './object-view.tsx';
import { RevisionsView } from './revisions-view.tsx';

export default function ConfigView({ parameters }: ViewProps) {
  const { common, config } = words.value;
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (hasDrafts()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  const fresh = viewQueryOf('new').value;
  if (identity.value === undefined) return <p class="view quiet">{common.loading}</p>;
  if (!may('read-config')) return <Notice text={common.mayNot('read-config')} />;
  if (moment.value !== undefined) {
    return (
      <Notice text={config.notOfPast}>
        <button type="button" onClick={() => showMoment(undefined)}>
          {words.value.shell.backToNow}
        </button>{' '}
        <a href="/config/revisions?at=">{words.value.shell.views.revisions}</a>
      </Notice>
    );
  }
  const { path } = viewPlace.value;
  if (path === '/config') return <ConfigHome />;
  if (path === '/config/changes') return <ChangesView />;
  if (path === '/config/revisions') return <RevisionsView />;
  const { family, name } = parameters;
  if (!isFamily(family)) return <Notice text={config.noFamily(family ?? '', familyNames.join(', '))} />;
  if (name !== undefined) return <ObjectView key={`${family} ${name}`} family={family} rowKey={name} />;
  if (fresh !== '') return <NewObject key={`${family} ${fresh}`} family={family} mark={fresh} />;
  return <FamilyView key={family} family={family} />;
}

/** `?new=1` is the first row that is being made, which may have to be made first. */
function NewObject({ family, mark }: { readonly family: (typeof familyNames)[number]; readonly mark: string }) {
  const draft = draftOf(family);
  const key = `+${mark}`;
  const isThere = draft.has(key);
  const mayAdd = may('configure');
  useEffect(() => {
    if (isThere || mark !== '1' || !mayAdd) return;
    const made = draft.add();
    go(`/config/${family}?new=${made.slice(1)}`, { replace: true });
  }, []);
  if (!mayAdd) return <Notice text={words.value.common.mayNot('configure')} />;
  return <ObjectView family={family} rowKey={key} />;
}

function Notice({ text, children }: { readonly text: string; readonly children?: preact.ComponentChildren }) {
  const { config } = words.value;
  return (
    <div class="view">
      <h1>{config.title}</h1>
      <p>{text}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}
