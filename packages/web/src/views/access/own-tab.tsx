// The own access: who one is, what one may do, password, second factors, sessions.
import { useSignal } from '@preact/signals';
import { access } from '../../data/access.ts';
import { identity } from '../../data/session.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { submits, TextField } from '../../parts/fields.tsx';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';
import { GrantList, PermissionList } from './grants-field.tsx';
import { SecondFactorsPanel } from './second-factors-panel.tsx';
import { Sessions } from './sessions-tab.tsx';

export function OwnTab() {
  const { access: texts } = words.value;
  const me = identity.value;
  if (me === undefined) return null;
  return (
    <>
      <section class="panel">
        <h2>
          <bdi>{me.displayName ?? me.identity}</bdi>
        </h2>
        {me.mustAddSecondFactor && <p class="problem">{texts.mustAdd}</p>}
        <FactList
          facts={[
            [texts.user, me.identity],
            [texts.grants, <GrantList key="grants" grants={me.grants ?? []} />],
            [texts.youMay, <PermissionList key="permissions" permissions={me.permissions} />],
          ]}
        />
      </section>
      {me.kind === 'user' && (
        <>
          <PasswordForm />
          <SecondFactorsPanel />
          <Sessions isOwn />
        </>
      )}
    </>
  );
}

function PasswordForm() {
  const { access: texts } = words.value;
  const [current, next, again] = [useSignal(''), useSignal(''), useSignal('')];
  const { isUnderway, error, run } = useTask();
  const change = async () => {
    const isDone = await run(async () => {
      if (next.peek() !== again.peek()) throw new Error(texts.notTheSame);
      await access.changePassword(current.peek(), next.peek());
    });
    for (const field of [current, next, again]) field.value = '';
    if (isDone) notify(texts.passwordChanged);
  };
  return (
    <section class="panel">
      <h2>{texts.password}</h2>
      <form class="form access-form" onSubmit={submits(change)}>
        <TextField
          label={texts.currentPassword}
          type="password"
          autocomplete="current-password"
          text={current}
          isRequired
        />
        <TextField
          label={texts.newPassword}
          type="password"
          autocomplete="new-password"
          text={next}
          hint={texts.passwordHint}
          isRequired
        />
        <TextField label={texts.oncePassword} type="password" autocomplete="new-password" text={again} isRequired />
        <div>
          <button type="submit" disabled={isUnderway}>
            {texts.changePassword}
          </button>
        </div>
        {error !== undefined && <ProblemText error={error} />}
      </form>
    </section>
  );
}
