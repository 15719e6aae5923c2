// A picture as somebody edits it: its fields, its drawing with what is bound, and the steps that can be undone. Nothing of it is stored
// until it is saved.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Picture } from '../../../data/pictures.ts';
import { parsePicture, svgNamespace } from '../../../parts/picture/parse-picture.ts';

export type Draft = Picture;

/** From the outermost element: the index among the children, each time. */
export type ElementPath = string;

const mostSteps = 200;
export const emptyDrawing = `<svg xmlns="${svgNamespace}" viewBox="0 0 1600 900" font-family="sans-serif"></svg>`;

export class EditorModel {
  readonly #draft = signal<Draft>({ name: '', svg: emptyDrawing });
  readonly #stored = signal<Draft | undefined>(undefined);
  readonly #past = signal<readonly Draft[]>([]);
  readonly #future = signal<readonly Draft[]>([]);
  readonly draft: ReadonlySignal<Draft> = this.#draft;
  readonly stored: ReadonlySignal<Draft | undefined> = this.#stored;
  readonly selected = signal<ElementPath | undefined>(undefined);
  readonly picture = computed(() => parsePicture(this.#draft.value.svg));
  readonly canUndo = computed(() => this.#past.value.length > 0);
  readonly canRedo = computed(() => this.#future.value.length > 0);
  readonly isChanged = computed(() => contentOf(this.#draft.value) !== contentOf(this.#stored.value));

  /** Undefined where there is no picture of this name yet. */
  constructor(name: string, stored: Draft | undefined) {
    this.#stored.value = stored;
    this.#draft.value = stored ?? { name, svg: emptyDrawing };
  }

  change(next: Partial<Draft>): void {
    this.#past.value = [...this.#past.peek(), this.#draft.peek()].slice(-mostSteps);
    this.#future.value = [];
    this.#draft.value = { ...this.#draft.peek(), ...next };
  }

  /** As the service has it now. */
  noteStored(picture: Draft): void {
    this.#stored.value = picture;
  }

  undo(): void {
    const last = this.#past.peek().at(-1);
    if (last === undefined) return;
    this.#future.value = [...this.#future.peek(), this.#draft.peek()];
    this.#past.value = this.#past.peek().slice(0, -1);
    this.#draft.value = last;
  }

  redo(): void {
    const next = this.#future.peek().at(-1);
    if (next === undefined) return;
    this.#past.value = [...this.#past.peek(), this.#draft.peek()];
    this.#future.value = this.#future.peek().slice(0, -1);
    this.#draft.value = next;
  }

  elementAt(path: ElementPath | undefined): Element | undefined {
    const root = this.picture.value;
    return root === undefined || path === undefined ? undefined : elementAt(root, path);
  }

  /** Undefined removes it. */
  setAttribute(path: ElementPath, name: string, value: string | undefined): void {
    this.setAttributes(path, { [name]: value });
  }

  /** As one step. */
  setAttributes(path: ElementPath, values: Readonly<Record<string, string | undefined>>): void {
    this.edit((root) => {
      const element = elementAt(root, path);
      for (const [name, value] of Object.entries(values)) {
        if (value === undefined) element?.removeAttribute(name);
        else element?.setAttribute(name, value);
      }
    });
  }

  edit(change: (root: SVGSVGElement) => void): void {
    const root = this.picture.peek()?.cloneNode(true) as SVGSVGElement | undefined;
    if (root === undefined) return;
    change(root);
    const svg = textOf(root);
    if (svg !== this.#draft.peek().svg) this.change({ svg });
  }
}

/** Equal where nobody sees a difference. */
function contentOf(draft: Draft | undefined): string {
  const { svg = emptyDrawing, description = '', area = '', parameters = {} } = draft ?? {};
  return JSON.stringify([svg, description, area, Object.entries(parameters)]);
}

export function textOf(root: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(root);
}

export function pathOf(element: Element): ElementPath {
  const indexes: number[] = [];
  for (let each = element; each.parentElement !== null; each = each.parentElement) {
    indexes.unshift([...each.parentElement.children].indexOf(each));
  }
  return indexes.join('/');
}

function elementAt(root: Element, path: ElementPath): Element | undefined {
  let found: Element | undefined = root;
  for (const index of path === '' ? [] : path.split('/')) found = found?.children[Number(index)];
  return found;
}

export interface Binding {
  readonly label: string;
  readonly attribute: string;
  readonly value: string;
}

/** All that is bound, in the order of the drawing. */
export function bindingsIn(svg: string): Binding[] {
  const root = parsePicture(svg);
  return [root, ...(root?.querySelectorAll('*') ?? [])].flatMap((element) =>
    [...(element?.attributes ?? [])]
      .filter(({ name }) => name.startsWith('data-tt-'))
      .map(({ name, value }) => ({ label: element === undefined ? '' : labelOf(element), attribute: name, value })),
  );
}

export function labelOf(element: Element): string {
  const title = [...element.children].find(({ localName }) => localName === 'title')?.textContent?.trim();
  const text = element.localName === 'text' || element.localName === 'tspan' ? element.textContent?.trim() : '';
  return [element.localName, element.id && `#${element.id}`, (title || text || '').slice(0, 40)]
    .filter(Boolean)
    .join(' ');
}

/** Another drawing of the same: what is bound stays with the elements that have the same id. */
export function withBindingsOf(
  before: string,
  after: string,
): { readonly svg: string; readonly lost: readonly Binding[] } {
  const [old, root] = [parsePicture(before), parsePicture(after)];
  if (old === undefined || root === undefined) return { svg: after, lost: [] };
  const ids = new Map([root, ...root.querySelectorAll('[id]')].map((element) => [element.id, element]));
  const lost: Binding[] = [];
  for (const element of [old, ...old.querySelectorAll('*')]) {
    const same = element === old ? root : element.id === '' ? undefined : ids.get(element.id);
    for (const { name: attribute, value } of element.attributes) {
      if (!attribute.startsWith('data-tt-')) continue;
      if (same === undefined) lost.push({ label: labelOf(element), attribute, value });
      else if (!same.hasAttribute(attribute)) same.setAttribute(attribute, value);
    }
  }
  return { svg: textOf(root), lost };
}
