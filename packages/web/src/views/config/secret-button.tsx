// Sets the secret that a variable names as `file:NAME`. It is written, and never read; a secret in the variable itself is typed
// into its field.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { setSecret } from '../../data/configuration.ts';
import type { StackRole } from '../../data/fields.ts';
import { may } from '../../data/session.ts';
import { notify } from '../../parts/notices.tsx';
import { words } from '../../words/words.ts';
import { ActionDialog } from './object-dialogs.tsx';

export interface SecretButtonProps {
  readonly role: StackRole;
  readonly owner: string;
  readonly value: string;
}

export function SecretButton({ role, owner, value }: SecretButtonProps) {
  const { config } = words.value;
  const isOpen = useSignal(false);
  const typed = useSignal('');
  const id = useId();
  const secret = /^file:(.+)$/.exec(value)?.[1];
  if (secret === undefined || !may('set-secret')) return null;
  const close = () => {
    isOpen.value = false;
    typed.value = '';
  };
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {config.setSecret}
      </button>
      {isOpen.value && (
        <ActionDialog
          title={config.setSecretTitle(secret, owner)}
          action={config.setSecret}
          isReady={typed.value !== ''}
          onClose={close}
          run={async () => {
            await setSecret(role, owner, secret, typed.value);
            notify(config.secretIsSet(secret));
          }}
        >
          <div class="dialog-form">
            <label for={id}>{config.secret}</label>
            <input
              id={id}
              type="password"
              autocomplete="new-password"
              value={typed.value}
              onInput={(event) => {
                typed.value = event.currentTarget.value;
              }}
            />
          </div>
          <p class="quiet">{config.secretHelp}</p>
        </ActionDialog>
      )}
    </>
  );
}
