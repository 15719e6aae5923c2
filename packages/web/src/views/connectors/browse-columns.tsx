// The columns of the tree of a device: what it offers, and as what that can be taken over.
import { printable } from '@telltale/schema/values';
import { offersOf, takeable } from '../../data/browse.ts';
import type { GridColumn } from '../../parts/live-grid/grid-model.ts';
import { pointPath } from '../../parts/point-path.ts';
import { words } from '../../words/words.ts';
import type { TreeRow } from './browse-tree.ts';

const indentRem = 1.1;

export function browseColumns(toggle: (row: TreeRow) => void): readonly GridColumn<TreeRow>[] {
  const titles = words.value.connectors.browse;
  return [
    {
      key: 'offer',
      title: titles.offer,
      width: 280,
      isFixed: true,
      narrow: 'name',
      cell: (row) => (
        <span class="browse-item" style={{ paddingInlineStart: `${row.depth * indentRem}rem` }}>
          <Item row={row} toggle={toggle} />
        </span>
      ),
    },
    {
      key: 'as',
      title: titles.as,
      width: 260,
      grows: true,
      narrow: 'note',
      cell: (row) => row.kind === 'item' && <Offers row={row} />,
    },
    {
      key: 'what',
      title: titles.what,
      width: 240,
      grows: true,
      cell: (row) => row.kind === 'item' && <span class="quiet">{whatText(row)}</span>,
    },
    {
      key: 'address',
      title: titles.address,
      width: 190,
      grows: true,
      cell: (row) => {
        const address = row.kind === 'item' ? printable(takeable(row.item)[0]?.object.address ?? '') : '';
        return (
          <span class="mono" title={address}>
            {address}
          </span>
        );
      },
    },
  ];
}

function Item({ row, toggle }: { readonly row: TreeRow; readonly toggle: (row: TreeRow) => void }) {
  const { common, connectors } = words.value;
  const titles = connectors.browse;
  if (row.kind === 'loading') return <span class="quiet">{common.loading}</span>;
  if (row.kind === 'empty') return <span class="quiet">{titles.empty}</span>;
  if (row.kind === 'error') {
    return <span class="error">{printable(row.error instanceof Error ? row.error.message : String(row.error))}</span>;
  }
  if (row.kind === 'more') {
    return (
      <button type="button" class="plain" tabIndex={-1} onClick={() => toggle(row)}>
        {titles.more}
      </button>
    );
  }
  const title = printable(row.item.title);
  if (row.item.path === null) {
    return (
      <span class="browse-leaf" title={title}>
        {title}
      </span>
    );
  }
  return (
    <>
      <button
        type="button"
        class="plain browse-twisty"
        tabIndex={-1}
        aria-expanded={row.isOpen}
        aria-label={row.isOpen ? titles.close(title) : titles.open(title)}
        onClick={() => toggle(row)}
      >
        {row.isOpen ? '▾' : '▸'}
      </button>
      <span title={title}>{title}</span>
    </>
  );
}

function Offers({ row: { item } }: { readonly row: Extract<TreeRow, { kind: 'item' }> }) {
  const titles = words.value.connectors.browse;
  return (
    <span>
      {offersOf(item).map(({ family, object, configured, refused }, at) => (
        <span key={family}>
          {at > 0 && ' · '}
          <span class="quiet">{titles.takes[family]} </span>
          {object?.name}
          {configured !== null && (
            <a href={pointPath(family, configured)} data-over tabIndex={-1}>
              {titles.configured(configured)}
            </a>
          )}
          {object === null && configured === null && (
            <span class="error" title={printable(refused ?? '')}>
              {titles.refused(printable(refused ?? ''))}
            </span>
          )}
        </span>
      ))}
    </span>
  );
}

function whatText({ item }: Extract<TreeRow, { kind: 'item' }>): string {
  const { points, common } = words.value;
  const [object] = takeable(item).map((offer) => offer.object);
  if (object === undefined) return '';
  const kind =
    'datatype' in object
      ? points.datatypes[object.datatype]
      : 'severity' in object
        ? `${common.severity} ${object.severity}`
        : '';
  const unit = 'eu' in object && object.eu !== undefined ? ` ${object.eu}` : '';
  const about = object.description === undefined ? '' : `, ${object.description}`;
  return printable(`${kind}${unit}${about}`);
}
