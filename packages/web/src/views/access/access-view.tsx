// Access: the own one for everybody, and for those who may, that of others. What somebody may not do has no tab.
import { moment } from '../../data/moment.ts';
import { identity, may } from '../../data/session.ts';
import { PastNote } from '../../parts/past-note.tsx';
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

/** There are no users: nothing here would hold. */
function OpenAccess() {
  const { access } = words.value;
  return (
    <section class="panel">
      <h2>{access.open}</h2>
      <p>{access.openWhat}</p>
      <ol>
        {access.openSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <pre class="scrolls">telltale access init NAME</pre>
      <a href="/docs/guides/first-administrator.md">{access.openGuide}</a>
    </section>
  );
}
