// The pictures that led from one to the next, so that people find back: from the list of pictures on, as long as the page is open.
import { type ReadonlySignal, signal } from '@preact/signals';

export interface OpenedPicture {
  /** Path and query. */
  readonly address: string;
  readonly title: string;
}

const most = 8;

const trail = signal<readonly OpenedPicture[]>([]);

/** The last is the one that is shown. */
export const openedPictures: ReadonlySignal<readonly OpenedPicture[]> = trail;

/** `from` is the address of the picture that led to it. Going back to one of the trail ends the trail there. */
export function noteOpened(opened: OpenedPicture): void {
  const before = trail.peek();
  const known = before.findIndex(({ address }) => address === opened.address);
  trail.value = known >= 0 ? [...before.slice(0, known), opened] : [...before, opened].slice(-most);
}

export function forgetOpened(): void {
  trail.value = [];
}
