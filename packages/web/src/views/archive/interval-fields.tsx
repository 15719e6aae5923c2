// From and to of an export or an erasure; empty ends are those of all records.
import type { Signal } from '@preact/signals';
import type { ArchiveKind, Interval } from '../../data/archive.ts';
import { MomentInput } from '../../parts/moment-input.tsx';
import { words } from '../../words/words.ts';

export interface Ends {
  /** Microseconds since 1970. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Undefined where it ends before it begins. */
export function intervalOf({ from = 0, to }: Ends, nowUs: number): Interval | undefined {
  const until = to ?? nowUs + 1;
  return from < until ? { since: from, until } : undefined;
}

export function IntervalFields({ ends }: { readonly ends: Signal<Ends> }) {
  const { archive } = words.value;
  const micros = (seconds: string | undefined) => (seconds === undefined ? undefined : Number(seconds) * 1e6);
  return (
    <div class="row">
      <MomentInput
        label={archive.from}
        us={ends.value.from}
        onChoose={(seconds) => {
          ends.value = { ...ends.peek(), from: micros(seconds) };
        }}
      />
      <MomentInput
        label={archive.to}
        us={ends.value.to}
        onChoose={(seconds) => {
          ends.value = { ...ends.peek(), to: micros(seconds) };
        }}
      />
    </div>
  );
}

interface KindFieldProps<Kind extends ArchiveKind> {
  readonly kinds: readonly Kind[];
  readonly kind: Signal<Kind>;
}

export function KindField<Kind extends ArchiveKind>({ kinds, kind }: KindFieldProps<Kind>) {
  const { archive, common } = words.value;
  return (
    <label class="row">
      {common.kind}
      <select
        value={kind.value}
        onChange={({ currentTarget }) => {
          kind.value = kinds.find((each) => each === currentTarget.value) ?? kind.peek();
        }}
      >
        {kinds.map((each) => (
          <option key={each} value={each}>
            {archive.kinds[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Separated by commas or white space. */
export const namesIn = (text: string) => [...new Set(text.split(/[\s,;]+/).filter((name) => name !== ''))];
