// The own second factors: an authenticator app, passkeys, and codes for recovery. Secrets are shown once, and then forgotten.
import { useSignal } from '@preact/signals';
import { access, canMakePasskeys, makePasskey, type NewApp } from '../../data/access.ts';
import { readIdentity } from '../../data/session.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { submits, TextField, typedInto } from '../../parts/fields.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';

export function SecondFactorsPanel() {
  const { access: texts, common } = words.value;
  const { value, error, again } = useRead((signal) => access.secondFactors.get({ signal }), []);
  const task = useTask();
  const app = useSignal<NewApp | undefined>(undefined);
  const code = useSignal('');
  const name = useSignal('');
  const codes = useSignal<readonly string[]>([]);
  const change = (work: () => Promise<unknown>) =>
    task.run(async () => {
      await work();
      again();
      await readIdentity();
    });
  const confirmApp = () =>
    change(async () => {
      codes.value = await access.secondFactors.confirmTotp(code.peek().replaceAll(' ', ''));
      app.value = undefined;
      code.value = '';
    });
  const addPasskey = () =>
    change(async () => {
      codes.value = await makePasskey(name.peek().trim());
      name.value = '';
    });
  return (
    <section class="panel">
      <h2>{texts.secondFactors}</h2>
      <p class="quiet">{texts.secondFactorsWhy}</p>
      {error !== undefined && <ProblemText error={error} />}
      {task.error !== undefined && <ProblemText error={task.error} />}
      {value !== undefined && (
        <>
          <h3>{texts.app}</h3>
          <p class="row">
            {value.totp ? `✓ ${texts.appSet}` : texts.appNot}
            {value.totp ? (
              <button
                type="button"
                disabled={task.isUnderway}
                onClick={() => void change(() => access.secondFactors.removeTotp())}
              >
                {texts.removeOf(common.remove, texts.app)}
              </button>
            ) : (
              <button
                type="button"
                disabled={task.isUnderway}
                onClick={() =>
                  void task.run(async () => {
                    app.value = await access.secondFactors.beginTotp();
                  })
                }
              >
                {texts.setUpApp}
              </button>
            )}
          </p>
          {app.value !== undefined && (
            <form class="form access-form" onSubmit={submits(confirmApp)}>
              <p>{texts.appHow}</p>
              <p class="row">
                <code class="access-secret">{app.value.secret}</code>
                <CopyButton text={app.value.secret} />
              </p>
              <p class="row">
                <code class="access-secret">{app.value.uri}</code>
                <CopyButton text={app.value.uri} />
              </p>
              <TextField label={texts.code} text={code} autocomplete="one-time-code" isRequired maxLength={32} />
              <div class="row">
                <button type="submit" class="main" disabled={task.isUnderway}>
                  {texts.confirmApp}
                </button>
                <button type="button" onClick={() => (app.value = undefined)}>
                  {common.cancel}
                </button>
              </div>
            </form>
          )}
          <h3>{texts.passkeys}</h3>
          {value.passkeys.length === 0 && <p class="quiet">{texts.none}</p>}
          <ul class="access-grants">
            {value.passkeys.map((passkey) => (
              <li key={passkey.id} class="row">
                <bdi>{passkey.name}</bdi> <span class="quiet">{momentText(passkey.created * 1e6)}</span>
                <button
                  type="button"
                  disabled={task.isUnderway}
                  onClick={() => void change(() => access.secondFactors.removePasskey(passkey.id))}
                >
                  {texts.removeOf(common.remove, passkey.name)}
                </button>
              </li>
            ))}
          </ul>
          {canMakePasskeys ? (
            <form class="row" onSubmit={submits(addPasskey)}>
              <input
                aria-label={texts.passkeyName}
                placeholder={texts.passkeyName}
                required
                maxLength={64}
                {...typedInto(name)}
              />
              <button type="submit" disabled={task.isUnderway}>
                {texts.addPasskey}
              </button>
            </form>
          ) : (
            <p class="quiet">{texts.passkeysWant}</p>
          )}
          <h3>{texts.recoveryCodes}</h3>
          <p class="row">
            {texts.codesLeft(value.recoveryCodes)}
            {(value.totp || value.passkeys.length > 0) && (
              <button
                type="button"
                disabled={task.isUnderway}
                onClick={() =>
                  void change(async () => {
                    codes.value = await access.secondFactors.renewRecoveryCodes();
                  })
                }
              >
                {texts.renewCodes}
              </button>
            )}
          </p>
        </>
      )}
      {codes.value.length > 0 && (
        <Dialog
          title={texts.recoveryCodes}
          onClose={() => (codes.value = [])}
          actions={
            <>
              <CopyButton text={codes.value.join('\n')} />
              <button type="button" class="main" onClick={() => (codes.value = [])}>
                {texts.keptThem}
              </button>
            </>
          }
        >
          <p>{texts.codesOnce}</p>
          <pre class="access-secret">{codes.value.join('\n')}</pre>
        </Dialog>
      )}
    </section>
  );
}
