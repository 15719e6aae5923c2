// What people do to a connector or provider: restart, disable with a reason, enable.
import { useSignal } from '@preact/signals';
import { type LinkAction, type LinkDetails, operateLink } from '../../data/links.ts';
import { moment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { submits } from '../../parts/fields.tsx';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { words } from '../../words/words.ts';

export interface LinkActionsProps {
  readonly link: Pick<LinkDetails, 'role' | 'name' | 'state'>;
  readonly onDone: () => void;
}

export function LinkActions({ link: { role, name, state }, onDone }: LinkActionsProps) {
  const { connectors } = words.value;
  const running = useSignal<LinkAction | undefined>(undefined);
  const asks = useSignal(false);
  if (!may('operate-link') || moment.value !== undefined) return null;
  const run = async (action: LinkAction, reason?: string) => {
    asks.value = false;
    running.value = action;
    try {
      await operateLink(role, name, action, reason);
      notify(connectors.done[action](name));
    } catch (error) {
      notifyFailure(error);
    }
    running.value = undefined;
    onDone();
  };
  const isRunning = running.value !== undefined;
  return (
    <div class="row">
      {state === 'disabled' ? (
        <button type="button" disabled={isRunning} onClick={() => void run('enable')}>
          {connectors.enable}
        </button>
      ) : (
        <>
          <button type="button" disabled={isRunning} onClick={() => void run('restart')}>
            {connectors.restart}
          </button>
          <button
            type="button"
            disabled={isRunning}
            onClick={() => {
              asks.value = true;
            }}
          >
            {connectors.disable}
          </button>
        </>
      )}
      {asks.value && (
        <DisableDialog
          name={name}
          onClose={() => {
            asks.value = false;
          }}
          onDisable={(reason) => void run('disable', reason)}
        />
      )}
    </div>
  );
}

interface DisableDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDisable: (reason: string | undefined) => void;
}

function DisableDialog({ name, onClose, onDisable }: DisableDialogProps) {
  const { common, connectors } = words.value;
  const reason = useSignal('');
  const disable = () => onDisable(reason.value.trim() === '' ? undefined : reason.value.trim());
  return (
    <Dialog
      title={connectors.disableTitle(name)}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" form="disable-link" class="main">
            {connectors.disableNow}
          </button>
        </>
      }
    >
      <form id="disable-link" onSubmit={submits(() => disable())}>
        <p>{connectors.disableWhat}</p>
        <label class="link-reason">
          {common.reason}
          <input
            type="text"
            value={reason.value}
            maxLength={256}
            onInput={(event) => {
              reason.value = event.currentTarget.value;
            }}
          />
        </label>
      </form>
    </Dialog>
  );
}
