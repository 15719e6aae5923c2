// What the selected element is bound to: its point, what it does with the value, what it opens, and its parameters.
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { type FoundPoint, searchPoints } from '../../../data/search.ts';
import { behaviours, pointNameOf, readBindings } from '../../../parts/picture/bindings.ts';
import { scopeOf } from '../../../parts/picture/parameters.ts';
import { words } from '../../../words/words.ts';
import { type EditorModel, type ElementPath, labelOf } from './editor-model.ts';

const kinds = [...behaviours, 'opens', 'parameters'] as const;
type Kind = keyof (typeof words)['value']['pictures']['editor']['kinds'];

/** What each begins with, so that there is something to see. */
const beginnings: Readonly<Record<string, string>> = {
  text: 'value unit',
  words: '0:off; 1:on',
  level: 'up',
  rotation: 'from=-120 to=120',
  state: '0:off 1:on',
  visible: '>=1',
  trend: '10m',
  opens: 'none',
  parameters: '',
};

const onlyTexts = new Set(['text', 'words']);

const isTextual = ({ localName }: Element) => localName === 'text' || localName === 'tspan';

const withBehaviour = behaviours.map((kind) => `[data-tt-${kind}]`).join();

/** Whether something of it follows the value of its point. */
const hasEffect = (element: Element) => element.matches(withBehaviour) || element.querySelector(withBehaviour) !== null;

export function BindingPanel({ model }: { readonly model: EditorModel }) {
  const { editor } = words.value.pictures;
  const path = model.selected.value;
  const element = model.elementAt(path);
  if (path === undefined || element === undefined) {
    return (
      <section class="pictures-panel" aria-label={editor.binding}>
        <p class="quiet">{editor.selectHelp}</p>
      </section>
    );
  }
  const { mistakes } = readBindings(element, scopeOf(model.draft.value.parameters, new URLSearchParams()));
  const has = (kind: string) => element.hasAttribute(`data-tt-${kind}`);
  const addable = kinds.filter((kind) => !has(kind) && (isTextual(element) || !onlyTexts.has(kind)));
  return (
    <section class="pictures-panel" aria-label={editor.binding}>
      <h2>{labelOf(element)}</h2>
      <PointField key={path} model={model} path={path} element={element} />
      {has('point') && !hasEffect(element) && <p role="status">{editor.noEffect}</p>}
      {kinds.filter(has).map((kind) => (
        <AttributeField
          key={`${path} ${kind}`}
          model={model}
          path={path}
          kind={kind}
          value={element.getAttribute(`data-tt-${kind}`) ?? ''}
          isMistake={mistakes.some(({ attribute }) => attribute === `data-tt-${kind}`)}
        />
      ))}
      <label>
        {editor.add}{' '}
        <select
          value=""
          onChange={(event) => {
            const kind = event.currentTarget.value;
            event.currentTarget.value = '';
            if (kind !== '') model.setAttribute(path, `data-tt-${kind}`, beginnings[kind] ?? '');
          }}
        >
          <option value="">–</option>
          {addable.map((kind) => (
            <option key={kind} value={kind}>
              {editor.kinds[kind as Kind]}
            </option>
          ))}
        </select>
      </label>
      {element.localName === 'use' && <Places model={model} path={path} element={element} />}
    </section>
  );
}

interface FieldProps {
  readonly model: EditorModel;
  readonly path: ElementPath;
}

function AttributeField({
  model,
  path,
  kind,
  value,
  isMistake,
}: FieldProps & { readonly kind: string; readonly value: string; readonly isMistake: boolean }) {
  const { editor } = words.value.pictures;
  const { common } = words.value;
  const id = useId();
  const title = editor.kinds[kind as Kind];
  return (
    <div class="pictures-field">
      <label for={id}>{title}</label>
      <div class="row">
        <input
          id={id}
          class="grow mono"
          value={value}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={isMistake}
          aria-describedby={`${id}-help`}
          onChange={(event) => model.setAttribute(path, `data-tt-${kind}`, event.currentTarget.value)}
        />
        <button
          type="button"
          aria-label={`${common.remove}: ${title}`}
          onClick={() => model.setAttribute(path, `data-tt-${kind}`, undefined)}
        >
          ✕
        </button>
      </div>
      <p id={`${id}-help`} class={isMistake ? 'error' : 'quiet'}>
        {isMistake ? `${editor.mistake} ` : ''}
        {editor.helps[kind as Kind]}
      </p>
    </div>
  );
}

/** A symbol that is used says by its parameter `point` what it is about. */
function PointField({ model, path, element }: FieldProps & { readonly element: Element }) {
  const { editor } = words.value.pictures;
  const { common } = words.value;
  const id = useId();
  /** Undefined while nobody types. */
  const typed = useSignal<string | undefined>(undefined);
  const found = useSignal<readonly FoundPoint[]>([]);
  const isUse = element.localName === 'use';
  const parameters = new URLSearchParams(element.getAttribute('data-tt-parameters') ?? '');
  const value = isUse ? (parameters.get('point') ?? '') : (element.getAttribute('data-tt-point') ?? '');
  useEffect(() => {
    const end = new AbortController();
    void searchPoints(typed.value ?? '', end.signal).then((points) => {
      if (!end.signal.aborted) found.value = points;
    });
    return () => end.abort();
  }, [typed.value]);
  const set = (name: string) => {
    // Words to search by are no point yet.
    if (name !== '' && !name.includes('{') && pointNameOf(name) === undefined) return;
    typed.value = undefined;
    found.value = [];
    if (!isUse) {
      const isFirst = name !== '' && isTextual(element) && !hasEffect(element);
      model.setAttributes(path, {
        'data-tt-point': name === '' ? undefined : name,
        ...(isFirst && { 'data-tt-text': beginnings.text }),
      });
      return;
    }
    parameters.set('point', name);
    if (name === '') parameters.delete('point');
    model.setAttribute(path, 'data-tt-parameters', parameters.size === 0 ? undefined : readable(parameters));
  };
  return (
    <div class="pictures-field">
      <label for={id}>{editor.point}</label>
      <div class="row">
        <input
          id={id}
          class="grow"
          type="search"
          value={typed.value ?? value}
          autocomplete="off"
          spellcheck={false}
          placeholder={editor.pointHint}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
          onChange={(event) => set(event.currentTarget.value.trim())}
        />
        {value !== '' && (
          <button type="button" aria-label={`${common.remove}: ${editor.point}`} onClick={() => set('')}>
            ✕
          </button>
        )}
      </div>
      {typed.value !== undefined && found.value.length > 0 && (
        <ul class="pictures-found" aria-label={editor.found}>
          {found.value.map(({ kind, name, description }) => (
            <li key={`${kind} ${name}`}>
              {/* Before the field loses the focus, and with it the list goes. */}
              <button
                type="button"
                class="plain"
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => set(prefixed(kind, name, found.value))}
              >
                {name} <span class="quiet">{description}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const prefixes = { measurements: 'measurement:', commands: 'command:', alarms: 'alarm:' } as const;

/** Which one is meant is said where several have the name. */
function prefixed(kind: FoundPoint['kind'], name: string, found: readonly FoundPoint[]): string {
  return found.some((other) => other.name === name && other.kind !== kind) ? prefixes[kind] + name : name;
}

/** As people write it into the file. */
function readable(parameters: URLSearchParams): string {
  return [...parameters].map(([name, text]) => `${name}=${text.replaceAll(/[%&+#]/g, encodeURIComponent)}`).join('&');
}

function Places({ model, path, element }: FieldProps & { readonly element: Element }) {
  const { editor } = words.value.pictures;
  return (
    <fieldset class="row">
      <legend>{editor.place}</legend>
      {(['x', 'y', 'width', 'height'] as const).map((name) => (
        <label key={name}>
          {name}{' '}
          <input
            type="number"
            class="pictures-number"
            value={element.getAttribute(name) ?? ''}
            onChange={(event) => model.setAttribute(path, name, event.currentTarget.value)}
          />
        </label>
      ))}
    </fieldset>
  );
}
