// The columns of the list of points. What changes with readings follows its value by itself, as long as its row is seen.
import { isBad, isUncertain } from '@telltale/schema/values';
import type { PointKind } from '../../data/live-value.ts';
import type { PointList } from '../../data/point-list.ts';
import type { GridColumn } from '../../parts/live-grid/grid-model.ts';
import { shownMoment } from '../../parts/now.ts';
import { pointPath } from '../../parts/point-path.ts';
import { qualityText } from '../../parts/quality-words.ts';
import { ageText } from '../../parts/times.ts';
import { useShown, Value } from '../../parts/value.tsx';
import { words } from '../../words/words.ts';
import { Sparkline } from './sparkline.tsx';

/** What the arrangement of the columns depends on: it is there before the list is. */
export const arrangedColumns = [
  { key: 'name', isFixed: true },
  ...['description', 'value', 'unit', 'spark', 'quality', 'age', 'area'].map((key) => ({ key })),
  ...['connector', 'datatype', 'kind'].map((key) => ({ key, isExtra: true })),
];

/** Rows are places in the list. `hasUnit`: a column has the units. */
export function pointColumns(list: PointList, hasUnit: boolean): readonly GridColumn<number>[] {
  const { common, points } = words.value;
  const live = (id: number) => ({ kind: list.kindAt(id), name: list.nameAt(id) });
  return [
    {
      key: 'name',
      title: common.name,
      width: 180,
      grows: 1,
      isSortable: true,
      isFixed: true,
      narrow: 'name',
      cell: (id) => {
        const { kind, name } = live(id);
        return (
          <a href={pointPath(kind, name)} data-over tabIndex={-1}>
            {name}
          </a>
        );
      },
    },
    {
      key: 'description',
      title: common.description,
      width: 220,
      grows: 4,
      isSortable: true,
      narrow: 'note',
      cell: (id) => list.descriptionAt(id),
    },
    {
      key: 'value',
      title: common.value,
      width: 168,
      align: 'end',
      isSortable: true,
      narrow: 'value',
      cell: (id, { isNarrow }) => <ListedValue {...live(id)} facts={list.factsAt(id)} isBare={hasUnit && !isNarrow} />,
    },
    { key: 'unit', title: common.unit, width: 76, isSortable: true, cell: (id) => list.eu.at(id) },
    {
      key: 'spark',
      title: points.spark,
      width: 120,
      cell: (id) => <Sparkline {...live(id)} />,
    },
    {
      key: 'quality',
      title: common.quality,
      width: 104,
      isSortable: true,
      cell: (id) => <QualityCell {...live(id)} />,
    },
    {
      key: 'age',
      title: common.age,
      width: 64,
      align: 'end',
      isSortable: true,
      narrow: 'aside',
      cell: (id) => <AgeCell {...live(id)} />,
    },
    {
      key: 'area',
      title: common.area,
      width: 96,
      grows: 1,
      isSortable: true,
      cell: (id) => list.area.at(id),
    },
    {
      key: 'connector',
      title: common.connector,
      width: 92,
      grows: 1,
      isSortable: true,
      cell: (id) => list.connector.at(id),
    },
    {
      key: 'datatype',
      title: common.datatype,
      width: 130,
      isSortable: true,
      cell: (id) => points.datatypes[list.datatypeAt(id)],
    },
    {
      key: 'kind',
      title: common.kind,
      width: 110,
      isSortable: true,
      cell: (id) => points.kinds[list.kindAt(id)],
    },
  ];
}

interface PointCell {
  readonly kind: PointKind;
  readonly name: string;
}

interface ListedValueProps extends PointCell {
  readonly facts: ReturnType<PointList['factsAt']>;
  readonly isBare: boolean;
}

function ListedValue({ kind, name, facts, isBare }: ListedValueProps) {
  return <Value name={name} shown={useShown(kind, name)} facts={facts} bare={isBare} />;
}

function QualityCell({ kind, name }: PointCell) {
  const shown = useShown(kind, name);
  if (typeof shown === 'string' || shown.quality === undefined) return null;
  const { quality } = shown;
  const look = isBad(quality) ? 'points-bad' : isUncertain(quality) ? 'points-uncertain' : 'quiet';
  return <span class={look}>{qualityText(quality)}</span>;
}

function AgeCell({ kind, name }: PointCell) {
  const shown = useShown(kind, name);
  if (typeof shown === 'string' || shown.t === 0) return null;
  return <span class="quiet">{ageText((shownMoment.value - shown.t) / 1e6)}</span>;
}
