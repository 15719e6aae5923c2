// One object as a form: its fields in groups with help, what runs beside what is in the database, and who changed it. What is
// typed goes into the draft of its family, as in the table.
import { useSignal } from '@preact/signals';
import type { BlamedField, Change, Stack } from '@telltale/schema';
import { type Family, fromTimestamp } from '@telltale/schema/values';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import {
  canRename,
  configurationTurn,
  fieldOf,
  readBlame,
  readDifference,
  readSome,
} from '../../data/configuration.ts';
import {
  type FamilyFields,
  type Field,
  type FieldGroup,
  parametersOf,
  readFields,
  readStack,
  readStacks,
  type StackRole,
} from '../../data/fields.ts';
import { may } from '../../data/session.ts';
import { NotPermitted } from '../../parts/not-permitted.tsx';
import { personText } from '../../parts/person-text.ts';
import { pointPath } from '../../parts/point-path.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { FormField } from '../../parts/schema-form/form-field.tsx';
import { MapField } from '../../parts/schema-form/map-field.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { LiveValue } from '../../parts/value.tsx';
import { go } from '../../router.ts';
import { words } from '../../words/words.ts';
import { AddressHelp } from './address-help.tsx';
import { draftOf, type FamilyDraft, isNew, type Objects, type RowKey } from './draft.ts';
import { DraftBar } from './draft-bar.tsx';
import { fieldLines } from './field-lines.ts';
import { CopyDialog, DeleteDialog, RenameDialog } from './object-dialogs.tsx';
import { SecretButton } from './secret-button.tsx';

export interface ObjectViewProps {
  readonly family: Family;
  /** The name of an object, or the key of one that is being made. */
  readonly rowKey: RowKey;
}

export function ObjectView({ family, rowKey }: ObjectViewProps) {
  const { common, config } = words.value;
  const turn = configurationTurn.value;
  const draft = draftOf(family);
  draft.turn.value; // Shown anew with each change.
  const fields = useRead(() => readFields(family), [family]);
  const isOld = !isNew(rowKey);
  const found = useRead(
    async (signal) => {
      const objects = isOld ? await readSome(family, [rowKey], signal) : new Map();
      return { key: rowKey, objects };
    },
    [family, rowKey, turn],
  );
  useEffect(() => draft.dropSaved(), [found.value]);
  const error = fields.error ?? found.error;
  const isHere = found.value?.key === rowKey;
  const head = (
    <h1>
      <a href="/config">{config.title}</a> / <a href={`/config/${family}`}>{config.families[family]}</a> /{' '}
      {isOld ? rowKey : config.newOne[family]}
    </h1>
  );
  if (fields.value === undefined || found.value === undefined || !isHere) {
    return (
      <div class="view">
        {head}
        {error === undefined ? <p class="quiet">{common.loading}</p> : <ProblemText error={error} />}
      </div>
    );
  }
  if (isOld ? !found.value.objects.has(rowKey) : !draft.has(rowKey)) {
    return (
      <div class="view">
        {head}
        <p>{isOld ? config.noSuch(rowKey) : config.noDraft}</p>
        <p>
          <a href={`/config/${family}`}>{config.toFamily(config.families[family])}</a>
        </p>
      </div>
    );
  }
  return (
    <div class="view whole">
      <div class="view-head">
        {head}
        <span class="grow" />
        {isOld && <ObjectActions family={family} name={rowKey} />}
      </div>
      {error !== undefined && <ProblemText error={error} />}
      {!may('configure') && <NotPermitted permission="configure" />}
      <ObjectForm family={family} rowKey={rowKey} draft={draft} objects={found.value.objects} fields={fields.value} />
      <DraftBar
        draft={draft}
        keys={draft.has(rowKey) ? [rowKey] : []}
        onSaved={([name = '']) => {
          if (!isOld) go(`/config/${family}/${name}`, { replace: true });
        }}
      />
    </div>
  );
}

function ObjectActions({ family, name }: { readonly family: Family; readonly name: string }) {
  const { common, config } = words.value;
  const opened = useSignal<'copy' | 'rename' | 'delete' | undefined>(undefined);
  const close = () => {
    opened.value = undefined;
  };
  const open = (which: 'copy' | 'rename' | 'delete') => () => {
    opened.value = which;
  };
  const toOther = (to: string) => go(`/config/${family}/${to}`);
  return (
    <>
      {(family === 'measurements' || family === 'commands') && (
        <>
          <LiveValue kind={family} name={name} age />
          <a class="button" data-over href={pointPath(family, name)}>
            {config.toPoint}
          </a>
        </>
      )}
      {family === 'alarms' && (
        <a class="button" data-over href={pointPath('alarms', name)}>
          {config.toPoint}
        </a>
      )}
      {family === 'connectors' && <Elsewhere path={`/connectors/${name}`} text={config.toConnector} />}
      {family === 'function-modules' && <Elsewhere path={`/modules/${name}`} text={config.toModule} />}
      {family === 'pictures' && <Elsewhere path={`/pictures/${name}`} text={config.toPicture} />}
      {family === 'trends' && <Elsewhere path={`/trends/${name}`} text={config.toTrend} />}
      {may('configure') && (
        <>
          <button type="button" onClick={open('copy')}>
            {common.copy}
          </button>
          {canRename(family) && (
            <button type="button" onClick={open('rename')}>
              {config.rename}
            </button>
          )}
          <button type="button" onClick={open('delete')}>
            {common.delete}
          </button>
        </>
      )}
      {opened.value === 'copy' && <CopyDialog family={family} name={name} onClose={close} onDone={toOther} />}
      {opened.value === 'rename' && <RenameDialog family={family} name={name} onClose={close} onDone={toOther} />}
      {opened.value === 'delete' && (
        <DeleteDialog
          family={family}
          names={[name]}
          onClose={close}
          onDone={() => {
            draftOf(family).drop([name]);
            go(`/config/${family}`);
          }}
        />
      )}
    </>
  );
}

function Elsewhere({ path, text }: { readonly path: string; readonly text: string }) {
  return (
    <a class="button" href={path}>
      {text}
    </a>
  );
}

interface ObjectFormProps extends ObjectViewProps {
  readonly draft: FamilyDraft;
  readonly objects: Objects;
  readonly fields: FamilyFields;
}

function ObjectForm({ family, rowKey, draft, objects, fields }: ObjectFormProps) {
  const { config } = words.value;
  draft.turn.value; // Shown anew with each change.
  const turn = configurationTurn.value;
  const isOld = !isNew(rowKey);
  const role: StackRole | undefined =
    family === 'connectors' ? 'connector' : family === 'providers' ? 'provider' : undefined;
  const textOf = (column: string) => draft.text(rowKey, column, objects);
  const stackName = textOf('stackName');
  const found = useRead<Stack | undefined>(
    (signal) => (role === undefined ? Promise.resolve(undefined) : readStack(role, stackName, signal)),
    [role, stackName],
  );
  const stack = found.value;
  const blame = useRead(async (signal) => (isOld ? readBlame(family, rowKey, signal) : undefined), [rowKey, turn]);
  const difference = useRead(async (signal) => (isOld ? readDifference(signal) : []), [rowKey, turn]);
  const authors = useMemo(() => new Map(blame.value?.fields.map((each) => [each.field, each]) ?? []), [blame.value]);
  const running = useMemo(() => beforeOf(difference.value, family, rowKey), [difference.value, family, rowKey]);
  const isDisabled = !may('configure');
  const set = (column: string, text: string) => draft.set(rowKey, column, text, objects);
  const aside = (column: string) => (
    <Aside
      runs={running?.get(column)}
      before={draft.before(rowKey, column)}
      isNew={!isOld}
      author={authors.get(column)}
    />
  );
  const common = (field: Field) => ({
    field,
    value: field.key === 'name' ? draft.nameOf(rowKey) : textOf(field.key),
    fault: draft.faultOf(rowKey, field.key),
    isChanged: isOld && draft.before(rowKey, field.key) !== undefined,
    isDisabled: isDisabled || (isOld && field.key === 'name'),
    onInput: (text: string) => set(field.key, text),
    aside: aside(field.key),
  });
  const keysOf = (field: Field): string[] => {
    const stored = fieldOf(objects.get(rowKey), field.key);
    const typed = draft.columnsOf(rowKey).filter((column) => column.startsWith(`${field.key}.`));
    const keys = typeof stored === 'object' && stored !== null ? Object.keys(stored) : [];
    return [...keys, ...typed.map((column) => column.slice(field.key.length + 1))];
  };
  const map = (field: Field, without: ReadonlySet<string> = new Set()) => (
    <MapField
      key={field.key}
      field={field}
      keys={keysOf(field).filter((key) => !without.has(key))}
      textOf={textOf}
      onInput={set}
      faultOf={(column) => draft.faultOf(rowKey, column)}
      isChanged={(column) => isOld && draft.before(rowKey, column) !== undefined}
      asideOf={aside}
      isDisabled={isDisabled}
    />
  );
  const fieldRow = (field: Field): ComponentChildren => {
    if (field.key === 'vars' && (found.isLoading || stack !== undefined)) return null;
    if (field.kind === 'map') return map(field);
    if (field.key === 'stackName' && !isOld) return <StackChoice key={field.key} role={role} {...common(field)} />;
    return (
      <FormField key={field.key} {...common(field)} actions={<Reference field={field} name={textOf(field.key)} />}>
        {field.addressOf !== '' && (
          <AddressHelp
            family={family}
            connector={textOf(field.addressOf)}
            onTake={isDisabled ? undefined : (address) => set(field.key, address)}
          />
        )}
      </FormField>
    );
  };
  const groups = !isOld && role !== undefined ? stackFirst(fields.groups, stackName === '') : fields.groups;
  return (
    <div class="object-form">
      {groups.map(({ name, title, fields: members }) => (
        <section key={name} class="panel form-group">
          <h2>{config.groupTitles[name] ?? title}</h2>
          {members.map(fieldRow)}
          {name === 'variables' && stack !== undefined && (
            <Parameters
              stack={stack}
              common={common}
              secretOf={(field) =>
                isOld && role !== undefined ? (
                  <SecretButton role={role} owner={rowKey} value={textOf(field.key)} />
                ) : undefined
              }
            >
              {(known) => members.filter(({ key }) => key === 'vars').map((field) => map(field, known))}
            </Parameters>
          )}
        </section>
      ))}
    </div>
  );
}

/** What else there is to fill in depends on the stack: while none is chosen, there is but the name beside it. */
function stackFirst([general, ...others]: readonly FieldGroup[], isOpen: boolean): readonly FieldGroup[] {
  if (general === undefined) return others;
  const found = general.fields.toSorted((a, b) => Number(b.key === 'stackName') - Number(a.key === 'stackName'));
  return isOpen ? [{ ...general, fields: found.slice(0, 2) }] : [{ ...general, fields: found }, ...others];
}

interface ParametersProps {
  readonly stack: Stack;
  readonly common: (field: Field) => Parameters<typeof FormField>[0];
  readonly secretOf: (field: Field) => ComponentChildren;
  /** The variables that the stack does not have. */
  readonly children: (known: ReadonlySet<string>) => ComponentChildren;
}

function Parameters({ stack, common, secretOf, children }: ParametersProps) {
  const parameters = useMemo(() => parametersOf(stack), [stack]);
  const known = useMemo(() => new Set(parameters.map(({ key }) => key.slice('vars.'.length))), [parameters]);
  return (
    <>
      {stack.description !== undefined && (
        <p class="quiet" lang="en">
          {stack.description.description}
        </p>
      )}
      {parameters.map((field) => (
        <FormField key={field.key} {...common(field)} actions={field.isSecret ? secretOf(field) : undefined} />
      ))}
      {children(known)}
    </>
  );
}

/** Of a new connector or provider: which protocol it speaks comes first, with what that is. */
function StackChoice({ role, ...common }: { readonly role: StackRole | undefined } & Parameters<typeof FormField>[0]) {
  const stacks = useRead((signal) => readStacks(role ?? 'connector', signal), [role]).value ?? {};
  const names = Object.keys(stacks);
  const field: Field = { ...common.field, kind: 'choice', choices: names, references: [], isRequired: true };
  const chosen = Object.hasOwn(stacks, common.value) ? stacks[common.value] : undefined;
  return (
    <FormField {...common} field={field}>
      {chosen?.description !== undefined && (
        <p class="form-help" lang="en">
          <b>{chosen.description.title}.</b> {chosen.description.description}
        </p>
      )}
    </FormField>
  );
}

function Reference({ field, name }: { readonly field: Field; readonly name: string }) {
  const [reference] = field.references;
  if (name === '' || field.references.length !== 1 || reference === undefined) return null;
  if (reference === 'areas' || reference === 'connector-stacks' || reference === 'provider-stacks') return null;
  return <a href={`/config/${reference}/${encodeURIComponent(name)}`}>{words.value.config.open}</a>;
}

interface AsideProps {
  /** Undefined: as in the database; `null`: not set, where it runs. */
  readonly runs: string | null | undefined;
  readonly before: string | undefined;
  readonly isNew: boolean;
  readonly author: BlamedField | undefined;
}

function Aside({ runs, before, isNew: isFresh, author }: AsideProps) {
  const { config } = words.value;
  return (
    <>
      {before !== undefined && !isFresh && (
        <p class="aside-before">✎ {config.was(before === '' ? config.notSet : before)}</p>
      )}
      {runs !== undefined && <p class="aside-runs">▶ {config.runs(runs ?? config.notSet)}</p>}
      {author !== undefined && (
        <p class="quiet">
          {author.author === undefined || author.time === undefined
            ? config.older
            : config.changedBy(personText(author.author), momentText(fromTimestamp([author.time[0], author.time[1]])))}
          {author.revision !== undefined && (
            <>
              {' '}
              <a href={`/config/revisions?revision=${author.revision}`}>{config.revision(author.revision)}</a>
            </>
          )}
          {author.comment !== undefined && <> „{author.comment}“</>}
        </p>
      )}
    </>
  );
}

/** What runs, of the fields in which it differs. */
function beforeOf(
  changes: readonly Change[] | undefined,
  family: Family,
  name: string,
): ReadonlyMap<string, string | null> | undefined {
  const change = changes?.find((each) => each.family === family && each.name === name);
  if (change === undefined) return undefined;
  return new Map(fieldLines(change.fields).map(({ field, before }) => [field, before ?? null]));
}
