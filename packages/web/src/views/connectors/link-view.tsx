// One connector or provider: how it does, what its device offers, its certificates, and what people do to it.
import { fromTimestamp, printable } from '@telltale/schema/values';
import { type LinkDetails, type LinkRole, readLink } from '../../data/links.ts';
import { TelltaleProblem } from '../../data/service.ts';
import { may } from '../../data/session.ts';
import { withState } from '../../data/watched-states.ts';
import { PastNote } from '../../parts/past-note.tsx';
import { personText } from '../../parts/person-text.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { Since } from '../../parts/since.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { useStates } from '../../parts/use-states.ts';
import { queryOf } from '../../router.ts';
import { words } from '../../words/words.ts';
import { Browse } from './browse.tsx';
import { LinkActions } from './link-actions.tsx';
import { LinkCertificates } from './link-certificates.tsx';
import { LinkFigures } from './link-figures.tsx';
import { linkPath } from './link-list.tsx';
import { LinkStateMark } from './link-state.tsx';

export interface LinkViewProps {
  readonly role: LinkRole;
  readonly name: string;
}

type Tab = 'state' | 'browse' | 'certificates';

const everyMs = 2000;
const tabText = queryOf('show');

export function LinkView({ role, name }: LinkViewProps) {
  const { common, connectors } = words.value;
  const pushed = useStates(role).value.get(name);
  const read = useRead((signal) => readLink(role, name, signal), [role, name, pushed?.state], { everyMs });
  const isUnknown = read.error instanceof TelltaleProblem && read.error.problem === 'unknown-object';
  const link = isUnknown || read.value === undefined ? undefined : withState(read.value, pushed);
  const tabs = tabsOf(role);
  const tab = tabs.find((each) => each === tabText.value) ?? 'state';
  return (
    <div class={`view link ${tab === 'browse' ? 'whole' : ''}`}>
      <div class="view-head">
        <a href="/connectors" aria-label={connectors.toList} title={connectors.toList}>
          ←
        </a>
        <h1>{name}</h1>
        <span class="quiet">
          {connectors.roles[role]}
          {link !== undefined && ` · ${link.stack}`}
        </span>
        {link !== undefined && <StateSince link={link} />}
        <span class="grow" />
        {link !== undefined && <LinkActions link={link} onDone={read.again} />}
      </div>
      <PastNote />
      {link === undefined && read.error === undefined && <p class="quiet">{common.loading}</p>}
      {isUnknown && <p>{connectors.unknown(name)}</p>}
      {link === undefined && read.error !== undefined && !isUnknown && <ProblemText error={read.error} />}
      <div class="link-tabs">
        {tabs.length > 1 &&
          tabs.map((each) => (
            <a key={each} href={tabPath({ role, name }, each)} aria-current={each === tab ? 'page' : undefined}>
              {connectors.tabs[each]}
            </a>
          ))}
        <span class="grow" />
        {role === 'connector' && <a href={`/points?connector=${name}`}>{connectors.toPoints}</a>}
        {may('read-config') && <a href={`/config/${role}s/${name}`}>{connectors.toConfiguration}</a>}
      </div>
      {tab === 'state' && link !== undefined && <State link={link} />}
      {tab === 'browse' && <Browse connector={name} isUp={link?.state === 'up'} />}
      {tab === 'certificates' && <LinkCertificates role={role} name={name} />}
    </div>
  );
}

function tabsOf(role: LinkRole): Tab[] {
  const tabs: Tab[] = ['state'];
  if (role === 'connector' && may('diagnose')) tabs.push('browse');
  if (may('read-config')) tabs.push('certificates');
  return tabs;
}

function tabPath(link: LinkViewProps, tab: Tab): string {
  const path = linkPath(link);
  return tab === 'state' ? path : `${path}${path.includes('?') ? '&' : '?'}show=${tab}`;
}

function StateSince({ link }: { readonly link: LinkDetails }) {
  const devicesDown = link.devices.filter(({ state }) => state === 'down').length;
  return (
    <>
      <span role="status">
        <LinkStateMark state={link.state} devicesDown={devicesDown} />
      </span>
      <Since us={fromTimestamp(link.since)} />
    </>
  );
}

function State({ link }: { readonly link: LinkDetails }) {
  return (
    <>
      <Trouble link={link} />
      <LinkFigures link={link} />
    </>
  );
}

/** Why it is not up; of one that is up, what was wrong last. */
function Trouble({ link: { state, disabled, ...others } }: { readonly link: LinkDetails }) {
  const { connectors } = words.value;
  const error = others['last-error'];
  const isWrong = state === 'down' || state === 'failed';
  return (
    <section class={`panel ${isWrong ? 'link-wrong' : ''}`}>
      {disabled !== null && (
        <p>
          <strong>{connectors.disabledBy(personText(disabled.by), momentText(fromTimestamp(disabled.t)))}</strong>
          {disabled.reason !== null && <> {connectors.disabledWhy(printable(disabled.reason))}</>}
        </p>
      )}
      <h2>{connectors.lastError}</h2>
      {error === null ? (
        <p class="quiet">{connectors.noError}</p>
      ) : (
        <p class="link-error">
          <time class="quiet">{momentText(fromTimestamp(error.t))}</time> <span>{printable(error.text)}</span>
          {state === 'up' && <span class="quiet"> {connectors.errorIsPast}</span>}
        </p>
      )}
    </section>
  );
}
