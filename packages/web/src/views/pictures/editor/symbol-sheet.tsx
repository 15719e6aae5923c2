// The sheet of symbols: one that is chosen is put into the drawing, with what it is made of.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import sheet from '../../../look/symbols.svg';
import { instanceOf } from '../../../parts/picture/instance.ts';
import { parsePicture, svgNamespace } from '../../../parts/picture/parse-picture.ts';
import { words } from '../../../words/words.ts';
import { type EditorModel, pathOf } from './editor-model.ts';

export function SymbolSheet({
  model,
  place,
}: {
  readonly model: EditorModel;
  readonly place: () => { x: number; y: number };
}) {
  const { editor } = words.value.pictures;
  const symbols = useMemo(() => [...(parsePicture(sheet)?.querySelectorAll('symbol') ?? [])], []);
  return (
    <details class="pictures-symbols">
      <summary>{editor.symbols}</summary>
      <ul>
        {symbols.map((symbol) => (
          <li key={symbol.id}>
            <button
              type="button"
              onClick={() => insert(model, symbol, place())}
              title={symbol.querySelector('title')?.textContent ?? ''}
            >
              <Sample symbol={symbol} />
              {symbol.id}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Sample({ symbol }: { readonly symbol: SVGSymbolElement }) {
  const host = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const picture = document.createElementNS(svgNamespace, 'svg');
    picture.setAttribute('viewBox', symbol.getAttribute('viewBox') ?? '0 0 80 80');
    picture.append(...[...symbol.cloneNode(true).childNodes]);
    picture.querySelector('title')?.remove();
    const { root } = instanceOf(picture, new Map());
    root.classList.add('drawn');
    host.current?.replaceChildren(root);
  }, [symbol]);
  return <span ref={host} class="pictures-sample" aria-hidden="true" />;
}

function insert(
  model: EditorModel,
  symbol: SVGSymbolElement,
  { x, y }: { readonly x: number; readonly y: number },
): void {
  const [, , width = '80', height = '80'] = (symbol.getAttribute('viewBox') ?? '').split(' ');
  let path = '';
  model.edit((root) => {
    if (root.querySelector(`symbol[id="${symbol.id}"]`) === null) {
      let defs = [...root.children].find(({ localName }) => localName === 'defs');
      if (defs === undefined) {
        defs = root.ownerDocument.createElementNS(svgNamespace, 'defs');
        root.prepend(defs);
      }
      defs.append(root.ownerDocument.importNode(symbol, true));
    }
    const use = root.ownerDocument.createElementNS(svgNamespace, 'use');
    const attributes = {
      href: `#${symbol.id}`,
      x: Math.round(x - Number(width) / 2),
      y: Math.round(y - Number(height) / 2),
      width,
      height,
    };
    for (const [name, value] of Object.entries(attributes)) use.setAttribute(name, String(value));
    // What stands for its states is said at once: without it, there would be a mistake.
    if (symbol.outerHTML.includes('{states}')) use.setAttribute('data-tt-parameters', 'states=0:off 1:on');
    root.append(use);
    path = pathOf(use);
  });
  model.selected.value = path;
}
