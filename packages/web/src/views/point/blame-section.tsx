// How a point is configured, and who changed each field last.
import type { Family } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { type BlamedField, readBlame } from '../../data/blame.ts';
import { revision } from '../../data/overview.ts';
import { may } from '../../data/session.ts';
import { personText } from '../../parts/person-text.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { FoldedSection } from './point-section.tsx';

interface BlameSectionProps {
  readonly family: Family;
  readonly name: string;
}

export function BlameSection({ family, name }: BlameSectionProps) {
  if (!may('read-config')) return null;
  const { point } = words.value;
  return (
    <FoldedSection title={point.sections.configuration}>{() => <Fields family={family} name={name} />}</FoldedSection>
  );
}

function Fields({ family, name }: BlameSectionProps) {
  const { common, point } = words.value;
  const { value, error } = useRead((signal) => readBlame(family, name, signal), [family, name, revision.value]);
  if (error !== undefined) return <ProblemText error={error} />;
  if (value === undefined) return <p class="quiet">{common.loading}</p>;
  return (
    <>
      <a class="button" href={`/config/${family}/${name}`}>
        {may('configure') ? point.configure : point.sections.configuration}
      </a>
      <table class="point-blame">
        <tbody>
          {value
            .filter(({ value: set }) => set !== undefined)
            .map((field) => (
              <tr key={field.field}>
                <th scope="row">{field.field}</th>
                <td>{textOf(field.value)}</td>
                <td class="quiet">
                  <Changed field={field} />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </>
  );
}

function Changed({ field }: { readonly field: BlamedField }) {
  const { point } = words.value;
  const { author = '', revision: id, time, comment } = field;
  if (author === '') return null;
  const text = id === undefined ? point.notRendered(personText(author)) : point.changedBy(personText(author), id);
  return <span title={[time && momentText(fromTimestamp(time)), comment].filter(Boolean).join(' ')}>{text}</span>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
