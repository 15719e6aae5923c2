// The own access: who one is, what one may do, password, second factors, sessions.
import { useSignal } from '@preact/signals';
import { access } from '../../data/access.ts';
import { identity } from '../../data/session.ts';
import { notify } from '../../parts/notices.tsx';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';
import { AccessProblem } from './access-problem.tsx';
import { TextField } from './edit-dialog.tsx';
import { GrantList } from './grants-field.tsx';
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
        <dl class="facts">
          <div>
            <dt>{texts.user}</dt>
            <dd>
              <bdi>{me.identity}</bdi>
            </dd>
          </div>
          <div>
            <dt>{texts.grants}</dt>
            <dd>
              <GrantList grants={me.grants ?? []} />
            </dd>
          </div>
          <div>
            <dt>{texts.youMay}</dt>
            <dd>
              <ul class="access-grants">
                {me.permissions.map((each) => (
                  <li key={each}>{texts.permissions[each]}</li>
                ))}
              </ul>
            </dd>
          </div>
        </dl>
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
  const submit = async (event: Event) => {
    event.preventDefault();
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
      <form class="form access-form" onSubmit={(event) => void submit(event)}>
        <TextField
          label={texts.currentPassword}
          type="password"
          autocomplete="current-password"
          value={current.value}
          onText={(text) => (current.value = text)}
          isRequired
        />
        <TextField
          label={texts.newPassword}
          type="password"
          autocomplete="new-password"
          value={next.value}
          onText={(text) => (next.value = text)}
          hint={texts.passwordHint}
          isRequired
        />
        <TextField
          label={texts.oncePassword}
          type="password"
          autocomplete="new-password"
          value={again.value}
          onText={(text) => (again.value = text)}
          isRequired
        />
        <div>
          <button type="submit" disabled={isUnderway}>
            {texts.changePassword}
          </button>
        </div>
        {error !== undefined && <AccessProblem error={error} />}
      </form>
    </section>
  );
}
