// What is done to whole objects: deleted, renamed and copied, each after the service has said what it means.
import { useSignal } from '@preact/signals';
import type { Fault } from '@telltale/schema';
import type { Family } from '@telltale/schema/values';
import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import {
  type CopyRequest,
  canRename,
  copyObject,
  deleteObjects,
  faultsWithout,
  rename,
} from '../../data/configuration.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { FaultList, isFamily } from './fault-list.tsx';

interface ActionProps {
  readonly title: string;
  readonly action: string;
  readonly isReady: boolean;
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog whose action may be refused: then it stays, and says why. */
export function ActionDialog({ title, action, isReady, run, onClose, children }: ActionProps) {
  const { common } = words.value;
  const state = useSignal<{ readonly isBusy: boolean; readonly error?: unknown }>({ isBusy: false });
  const formId = useId();
  const act = async (event: Event) => {
    event.preventDefault();
    state.value = { isBusy: true };
    try {
      await run();
      onClose();
    } catch (error) {
      state.value = { isBusy: false, error };
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" form={formId} class="main" disabled={!isReady || state.value.isBusy}>
            {action}
          </button>
        </>
      }
    >
      <form id={formId} onSubmit={(event) => void act(event)}>
        {children}
      </form>
      {state.value.error !== undefined && <ProblemText error={state.value.error} />}
    </Dialog>
  );
}

interface DeleteProps {
  readonly family: Family;
  readonly names: readonly string[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const mostNames = 20;

export function DeleteDialog({ family, names, onDone, onClose }: DeleteProps) {
  const { common, config } = words.value;
  const { value, error, isLoading } = useRead<readonly Fault[]>(
    () => faultsWithout(family, names),
    [family, names.join()],
  );
  return (
    <ActionDialog
      title={config.deleteTitle(names.length, config.families[family])}
      action={common.delete}
      isReady={!isLoading}
      onClose={onClose}
      run={async () => {
        await deleteObjects(family, names);
        notify(config.deleted(names.length));
        onDone();
      }}
    >
      <p>
        {names.slice(0, mostNames).join(', ')}
        {names.length > mostNames ? ' …' : ''}
      </p>
      {isLoading && <p class="quiet">{config.lookingForReferences}</p>}
      {error !== undefined && <ProblemText error={error} />}
      {value !== undefined && value.length === 0 && <p>✓ {config.nothingRefers}</p>}
      {value !== undefined && value.length > 0 && (
        <div class="problem">
          <p>{config.notRenderableThen(value.length)}</p>
          <FaultList faults={value} />
        </div>
      )}
      <p class="quiet">{config.deleteHelp}</p>
    </ActionDialog>
  );
}

interface OneProps {
  readonly family: Family;
  readonly name: string;
  readonly onDone: (to: string) => void;
  readonly onClose: () => void;
}

export function RenameDialog({ family, name, onDone, onClose }: OneProps) {
  const { config } = words.value;
  const to = useSignal(name);
  const referrers = useSignal<Awaited<ReturnType<typeof rename>> | undefined>(undefined);
  const fault = useSignal('');
  const id = useId();
  useEffect(() => {
    let isOver = false;
    referrers.value = undefined;
    fault.value = '';
    if (to.value === name || to.value === '' || !canRename(family)) return;
    rename(family, name, to.value, true).then(
      (found) => {
        if (!isOver) referrers.value = found;
      },
      (error: unknown) => {
        if (!isOver) fault.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => {
      isOver = true;
    };
  }, [to.value]);
  const found = referrers.value;
  return (
    <ActionDialog
      title={config.renameTitle(name)}
      action={config.rename}
      isReady={found !== undefined}
      onClose={onClose}
      run={async () => {
        if (!canRename(family)) return;
        await rename(family, name, to.value, false);
        notify(config.renamed(name, to.value));
        onDone(to.value);
      }}
    >
      <div class="dialog-form">
        <label for={id}>{config.newName}</label>
        <input
          id={id}
          value={to.value}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={fault.value !== ''}
          onInput={(event) => {
            to.value = event.currentTarget.value.trim();
          }}
        />
      </div>
      {fault.value !== '' && <p class="form-fault">✕ {fault.value}</p>}
      {found !== undefined && found.length === 0 && <p>✓ {config.nothingRefers}</p>}
      {found !== undefined && found.length > 0 && (
        <>
          <p>{config.referrersFollow(found.length)}</p>
          <ul class="fault-list">
            {found.map((each) => (
              <li key={`${each.family} ${each.name}`}>
                {isFamily(each.family) ? config.one[each.family] : each.family} <b>{each.name}</b>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="quiet">{config.renameHelp}</p>
    </ActionDialog>
  );
}

export function CopyDialog({ family, name, onDone, onClose }: OneProps) {
  const { config } = words.value;
  const to = useSignal(`${name}_2`);
  const names = useSignal('');
  const addresses = useSignal('');
  const set = useSignal('');
  const copied = useSignal<Awaited<ReturnType<typeof copyObject>> | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const request = requestOf({
    family,
    name,
    to: to.value,
    names: names.value,
    addresses: addresses.value,
    set: set.value,
  });
  const text = JSON.stringify(request);
  useEffect(() => {
    let isOver = false;
    copied.value = undefined;
    if (to.value === '') return;
    copyObject(request, true).then(
      (found) => {
        if (isOver) return;
        copied.value = found;
        error.value = undefined;
      },
      (thrown: unknown) => {
        if (!isOver) error.value = thrown;
      },
    );
    return () => {
      isOver = true;
    };
  }, [text]);
  return (
    <ActionDialog
      title={config.copyTitle(name)}
      action={words.value.common.copy}
      isReady={copied.value !== undefined}
      onClose={onClose}
      run={async () => {
        const made = await copyObject(request, false);
        notify(config.copied(made.length));
        onDone(to.value);
      }}
    >
      <div class="dialog-form">
        <CopyLine text={config.newName} value={to} />
        {family === 'connectors' && <CopyLine text={config.namesRule} value={names} hint="*=second_*" />}
        {family === 'connectors' && <CopyLine text={config.addressesRule} value={addresses} hint="1/*=2/*" />}
        <CopyLine text={config.otherFields} value={set} hint="vars.host=10.0.0.2" />
      </div>
      {error.value !== undefined && <ProblemText error={error.value} />}
      {copied.value !== undefined && (
        <details open={copied.value.length <= 10}>
          <summary>{config.wouldCopy(copied.value.length)}</summary>
          <ul class="fault-list">
            {copied.value.slice(0, 200).map((each) => (
              <li key={`${each.family} ${each.to}`}>
                {config.one[each.family]} {each.from} → <b>{each.to}</b>
              </li>
            ))}
          </ul>
        </details>
      )}
    </ActionDialog>
  );
}

interface CopyLineProps {
  readonly text: string;
  readonly value: { value: string };
  readonly hint?: string;
}

function CopyLine({ text, value, hint }: CopyLineProps) {
  const id = useId();
  return (
    <>
      <label for={id}>{text}</label>
      <input
        id={id}
        value={value.value}
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
    </>
  );
}

interface CopyTexts {
  readonly family: Family;
  readonly name: string;
  readonly to: string;
  readonly names: string;
  readonly addresses: string;
  readonly set: string;
}

/** Rules and fields as on the command line: `A=B`, with spaces between them. */
function requestOf({ family, name, to, names, addresses, set }: CopyTexts): CopyRequest {
  const rules = (text: string) => pairsIn(text).map(([from, becomes]) => ({ from, to: becomes }));
  const fields = pairsIn(set);
  return {
    family,
    name,
    to: to.trim(),
    ...(names.trim() !== '' && { names: rules(names) }),
    ...(addresses.trim() !== '' && { addresses: rules(addresses) }),
    ...(fields.length > 0 && { set: Object.fromEntries(fields) }),
  };
}

function pairsIn(text: string): [string, string][] {
  return text
    .split(/\s+/)
    .filter((part) => part.includes('='))
    .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]);
}
