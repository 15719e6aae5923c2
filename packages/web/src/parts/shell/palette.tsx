// Ctrl-K: goes to a point, a view or an action by a few letters of it.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { moment, showMoment } from '../../data/moment.ts';
import { searchPoints } from '../../data/search.ts';
import { go } from '../../router.ts';
import { language, languages, theme, themes } from '../../settings.ts';
import { words } from '../../words/words.ts';
import { Dialog } from '../dialog.tsx';
import { useKeys } from '../keys.ts';
import { pointPath } from '../point-path.ts';
import { isThere, ways } from './navigation.tsx';

interface Item {
  readonly key: string;
  readonly group: 'points' | 'views' | 'actions';
  readonly text: string;
  readonly more: string;
  readonly run: () => void;
}

export function Palette() {
  const { shell } = words.value;
  const isOpen = useSignal(false);
  const open = () => {
    isOpen.value = true;
  };
  useKeys(
    () => [
      { key: 'Ctrl+k', text: shell.keys.palette, run: open },
      ...(moment.value === undefined ? [] : [{ key: 'n', text: shell.keys.now, run: () => showMoment(undefined) }]),
    ],
    [shell, moment.value === undefined],
  );
  if (!isOpen.value) return null;
  return (
    <PaletteDialog
      onClose={() => {
        isOpen.value = false;
      }}
    />
  );
}

function PaletteDialog({ onClose }: { readonly onClose: () => void }) {
  const { palette } = words.value.shell;
  const text = useSignal('');
  const points = useSignal<readonly Item[]>([]);
  const chosen = useSignal(0);
  useEffect(() => {
    const end = new AbortController();
    void searchPoints(text.value, end.signal).then((found) => {
      points.value = found.map(({ kind, name, description }) => ({
        key: `${kind} ${name}`,
        group: 'points',
        text: name,
        more: description,
        run: () => go(pointPath(kind, name), { over: true }),
      }));
    });
    return () => end.abort();
  }, [text.value]);
  const items = useComputed(() => {
    const wanted = text.value.toLowerCase().split(/\s+/);
    const fits = (item: Item) => wanted.every((word) => `${item.text} ${item.more}`.toLowerCase().includes(word));
    return [...[...viewItems(), ...actionItems()].filter(fits), ...points.value];
  });
  const run = (item: Item | undefined) => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      chosen.value = Math.max(0, Math.min(items.value.length - 1, chosen.value + step));
      document.getElementById(`palette-${chosen.value}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      run(items.value[chosen.value]);
    }
  };
  return (
    <Dialog title={palette.title} onClose={onClose} class="palette">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-items"
        aria-activedescendant={`palette-${chosen.value}`}
        aria-label={palette.hint}
        placeholder={palette.hint}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-items" role="listbox" aria-label={palette.title}>
        {items.value.map((item, at) => (
          <div
            key={item.key}
            id={`palette-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen.value}
            onClick={() => run(item)}
            onKeyDown={onKeyDown}
          >
            <span>{item.text}</span> <span class="quiet">{item.more}</span>
            <span class="quiet palette-group">{palette[item.group]}</span>
          </div>
        ))}
        {items.value.length === 0 && <p class="quiet">{palette.empty}</p>}
      </div>
    </Dialog>
  );
}

function viewItems(): Item[] {
  const { shell } = words.value;
  const seen = ways.flatMap((group) => group.ways).filter(isThere);
  return seen.map(({ path, title }) => ({
    key: path,
    group: 'views',
    text: shell.views[title],
    more: path,
    run: () => go(path),
  }));
}

function actionItems(): Item[] {
  const { shell } = words.value;
  const set = <Choice extends string>(target: { value: Choice }, choice: Choice, text: string): Item => ({
    key: text,
    group: 'actions',
    text,
    more: '',
    run: () => {
      target.value = choice;
    },
  });
  return [
    ...themes.map((each) => set(theme, each, shell.themeTo(shell.themes[each]))),
    ...languages.map((each) => set(language, each, shell.languageTo(shell.languages[each]))),
  ];
}
