// Access: the own one for everybody, and for those who may, that of others. What somebody may not do has no tab.
import { moment } from '../../data/moment.ts';
import { identity, may } from '../../data/session.ts';
import { learnSiteNames } from '../../data/sites.ts';
import { readSettings } from '../../data/system.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PastNote } from '../../parts/past-note.tsx';
import { useRead } from '../../parts/use-read.ts';
import { viewQueryOf } from '../../router.ts';
import { words } from '../../words/words.ts';
import { ApprovalsTab } from './approvals-tab.tsx';
import { CertificatesTab, GroupsTab } from './directory-tabs.tsx';
import { OwnTab } from './own-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { TokensTab } from './tokens-tab.tsx';
import { UsersTab } from './users-tab.tsx';

const tabs = {
  own: OwnTab,
  users: UsersTab,
  roles: RolesTab,
  tokens: TokensTab,
  sessions: SessionsTab,
  groups: GroupsTab,
  certificates: CertificatesTab,
  approvals: ApprovalsTab,
} as const;
type Tab = keyof typeof tabs;

const ofManagers: ReadonlySet<Tab> = new Set(['users', 'roles', 'groups', 'certificates']);

const chosen = viewQueryOf('tab');

export default function AccessView() {
  const { access, common } = words.value;
  const who = identity.value;
  useRead(learnSiteNames, [who?.identity]);
  const shown = (Object.keys(tabs) as Tab[]).filter((tab) => !ofManagers.has(tab) || may('manage-users'));
  const tab = shown.find((each) => each === chosen.value);
  const Shown = tabs[tab ?? 'own'];
  return (
    <div class="view admin">
      <div class="view-head">
        <h1>{access.title}</h1>
      </div>
      <PastNote />
      {who === undefined && <p class="quiet">{common.loading}</p>}
      {who?.isOpen && <OpenAccess />}
      {who !== undefined && !who.isOpen && (
        <>
          <nav class="tabs" aria-label={access.title}>
            {shown.map((each) => (
              <a key={each} href={`/access?tab=${each}`} aria-current={each === (tab ?? 'own') ? 'page' : undefined}>
                {access.tabs[each]}
              </a>
            ))}
          </nav>
          {tab === undefined && chosen.value in tabs && <p class="panel">{common.mayNot('manage-users')}</p>}
          {moment.value === undefined && <Shown key={tab} />}
        </>
      )}
    </div>
  );
}

/** There are no users: nothing here would hold, so it says how to begin. */
function OpenAccess() {
  const { access } = words.value;
  const settings = useRead(readSettings, []).value ?? [];
  const folder = settings.find(({ name }) => name === 'data')?.value ?? './data';
  return (
    <section class="panel access-open">
      <h2>{access.open}</h2>
      <p>{access.openWhat}</p>
      <h3>{access.openHere}</h3>
      <p>{access.openTerminal}</p>
      <Command text={`telltale access init admin --data ${folder}`} />
      <p>{access.openPassword}</p>
      <h3>{access.openOr}</h3>
      <p>{access.openLink}</p>
      <Command text={`cat ${folder}/first-administrator`} />
      <p>
        <a href="/docs/guides/first-administrator.md">{access.openGuide}</a>
      </p>
    </section>
  );
}

function Command({ text }: { readonly text: string }) {
  return (
    <p class="row">
      <code class="access-secret">{text}</code>
      <CopyButton text={text} />
    </p>
  );
}
