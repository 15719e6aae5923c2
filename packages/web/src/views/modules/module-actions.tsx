// What people do to a function module: start, stop, restart.
import { useSignal } from '@preact/signals';
import type { FunctionModuleOperation, LiveFunctionModule } from '@telltale/schema';
import { operateModule } from '../../data/modules.ts';
import { moment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { words } from '../../words/words.ts';

export interface ModuleActionsProps {
  readonly module: LiveFunctionModule;
  readonly onDone: () => void;
}

export function ModuleActions({ module: { name, state }, onDone }: ModuleActionsProps) {
  const { common, modules } = words.value;
  const isRunning = useSignal(false);
  const asks = useSignal(false);
  if (!may('operate-module') || moment.value !== undefined) return null;
  const run = async (operation: FunctionModuleOperation) => {
    asks.value = false;
    isRunning.value = true;
    try {
      await operateModule(name, operation);
      notify(modules.done[operation](name));
    } catch (error) {
      notifyFailure(error);
    }
    isRunning.value = false;
    onDone();
  };
  const close = () => {
    asks.value = false;
  };
  const isStopped = state === 'STOP' || state === 'FAIL';
  return (
    <div class="row">
      {isStopped ? (
        <button type="button" disabled={isRunning.value} onClick={() => void run('start')}>
          {modules.start}
        </button>
      ) : (
        <>
          <button type="button" disabled={isRunning.value} onClick={() => void run('restart')}>
            {modules.restart}
          </button>
          <button
            type="button"
            disabled={isRunning.value}
            onClick={() => {
              asks.value = true;
            }}
          >
            {modules.stop}
          </button>
        </>
      )}
      {asks.value && (
        <Dialog
          title={modules.stopTitle(name)}
          onClose={close}
          actions={
            <>
              <button type="button" onClick={close}>
                {common.cancel}
              </button>
              <button type="button" class="main" onClick={() => void run('stop')}>
                {modules.stopNow}
              </button>
            </>
          }
        >
          <p>{modules.stopWhat}</p>
        </Dialog>
      )}
    </div>
  );
}
