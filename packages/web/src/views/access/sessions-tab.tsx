// Open sessions: the own ones, and for those who manage users, those of the users.
import type { Session } from '@telltale/schema';
import { access } from '../../data/access.ts';
import { identity } from '../../data/session.ts';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { Accounts } from './accounts.tsx';

export function SessionsTab() {
  return <Sessions isOwn={false} />;
}

export function Sessions({ isOwn }: { readonly isOwn: boolean }) {
  const { access: texts, common } = words.value;
  const me = identity.value;
  const read = async (signal: AbortSignal) => {
    const all = await access.sessions.list({ signal });
    return all.filter(({ user }) => !isOwn || user === me?.identity).sort((a, b) => b.lastUsed - a.lastUsed);
  };
  return (
    <Accounts<Session>
      title={isOwn ? texts.ownSessions : texts.tabs.sessions}
      why={texts.sessionsWhy}
      read={read}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.user, cell: ({ user, id }) => (id === me?.session?.id ? texts.thisOne(user) : user) },
        { title: texts.begun, cell: ({ created }) => momentText(created * 1e6) },
        { title: texts.lastUsed, cell: ({ lastUsed }) => momentText(lastUsed * 1e6) },
        { title: texts.from(''), cell: ({ source }) => source },
        { title: common.state, cell: ({ mode }) => texts.modes[mode] },
      ]}
      remove={{
        word: texts.end,
        ask: ({ user }) => texts.endSession(user),
        run: ({ id }) => access.sessions.end(id),
      }}
    />
  );
}
