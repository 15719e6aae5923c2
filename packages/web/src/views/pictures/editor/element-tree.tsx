// The elements of a drawing as a list, so that each is reached without a pointer.
import { useSignal } from '@preact/signals';
import { words } from '../../../words/words.ts';
import { type EditorModel, labelOf, pathOf } from './editor-model.ts';

const mostRows = 400;

export function ElementTree({ model }: { readonly model: EditorModel }) {
  const { editor } = words.value.pictures;
  const text = useSignal('');
  const boundOnly = useSignal(false);
  const root = model.picture.value;
  const wanted = text.value.toLowerCase();
  const all = root === undefined ? [] : [...root.querySelectorAll('*')].filter(isShown);
  const rows = all.filter(
    (element) =>
      (!boundOnly.value || bindingsOf(element).length > 0) &&
      `${labelOf(element)} ${bindingsOf(element).join(' ')}`.toLowerCase().includes(wanted),
  );
  return (
    <section class="pictures-tree" aria-label={editor.elements}>
      <div class="row">
        <input
          type="search"
          aria-label={editor.findElement}
          placeholder={editor.findElement}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <label>
          <input
            type="checkbox"
            checked={boundOnly.value}
            onChange={(event) => {
              boundOnly.value = event.currentTarget.checked;
            }}
          />{' '}
          {editor.boundOnly}
        </label>
      </div>
      <ul>
        {rows.slice(0, mostRows).map((element) => {
          const path = pathOf(element);
          const bound = bindingsOf(element);
          return (
            <li key={path}>
              <button
                type="button"
                class="plain"
                aria-pressed={model.selected.value === path}
                data-depth={Math.min(6, path.split('/').length - 1)}
                onClick={() => {
                  model.selected.value = path;
                }}
              >
                {labelOf(element)} {bound.length > 0 && <span class="quiet">{bound.join(' ')}</span>}
              </button>
            </li>
          );
        })}
      </ul>
      {rows.length > mostRows && <p class="quiet">{editor.moreElements(rows.length - mostRows)}</p>}
    </section>
  );
}

const quiet = new Set([
  'title',
  'desc',
  'defs',
  'stop',
  'linearGradient',
  'radialGradient',
  'filter',
  'marker',
  'clipPath',
]);

function isShown({ localName }: Element): boolean {
  return !quiet.has(localName) && !localName.startsWith('fe');
}

function bindingsOf(element: Element): string[] {
  return [...element.attributes].flatMap(({ name, value }) => {
    if (!name.startsWith('data-tt-')) return [];
    return name === 'data-tt-point' || name === 'data-tt-parameters' ? [value] : [name.slice('data-tt-'.length)];
  });
}
