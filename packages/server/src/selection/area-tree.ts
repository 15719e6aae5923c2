// The tree of areas: what is in each and below it, counted over all live objects.
import { type AlarmState, type AreaCounts, areaPaths, quality } from '@telltale/schema';
import type { Alarms } from '../alarms/index.ts';
import { type Commands, type Measurements, stepItems } from '../points/index.ts';
import { statusWord } from './quality-index.ts';
import type { Visible } from './visible.ts';

/** Which of them are counted. */
type Seen = Readonly<Record<'measurements' | 'commands' | 'alarms', Visible>>;

interface Counted {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
}

/** In steps, of those that are in view. By path, sorted, parents before what is below them; the whole plant has the empty path. */
export function* areaTree({ measurements, commands, alarms }: Counted, seen?: Seen): Generator<void, AreaCounts[]> {
  const tree = new Tree();
  let items = 0;
  for (const handle of seen?.measurements.handles() ?? measurements.all()) {
    if (handle >= 0) {
      const status = measurements.qualityOf(handle);
      for (const { measurements: counts } of tree.around(measurements.definitionAt(handle)?.area)) {
        counts[statusWord(status)]++;
        if ((status & quality.simulated) !== 0) counts.simulated++;
      }
    }
    if (++items % stepItems === 0) yield;
  }
  for (const handle of seen?.commands.handles() ?? commands.all()) {
    if (handle >= 0) for (const counts of tree.around(commands.definitionAt(handle)?.area)) counts.commands++;
    if (++items % stepItems === 0) yield;
  }
  for (const handle of seen?.alarms.handles() ?? alarms.all()) {
    if (handle >= 0) {
      const { state }: { state: AlarmState } = alarms.stateOf(handle);
      for (const { alarms: counts } of tree.around(alarms.definitionAt(handle)?.area)) counts[state]++;
    }
    if (++items % stepItems === 0) yield;
  }
  return tree.all();
}

class Tree {
  readonly #nodes = new Map<string, AreaCounts>();
  /** By area, itself and those that it is in: they are the same for many objects. */
  readonly #around = new Map<string, readonly AreaCounts[]>();

  around(area = ''): readonly AreaCounts[] {
    const known = this.#around.get(area);
    if (known !== undefined) return known;
    const nodes = ['', ...areaPaths(area)].map((path) => this.#node(path));
    this.#around.set(area, nodes);
    return nodes;
  }

  all(): AreaCounts[] {
    this.#node('');
    const sorted = [...this.#nodes.values()].sort((a, b) => (a.area < b.area ? -1 : 1));
    for (const { area } of sorted) {
      if (area !== '') this.#node(area.slice(0, Math.max(0, area.lastIndexOf('.')))).areas.push(area);
    }
    return sorted;
  }

  #node(area: string): AreaCounts {
    const known = this.#nodes.get(area);
    if (known !== undefined) return known;
    const node: AreaCounts = {
      area,
      areas: [],
      measurements: { good: 0, uncertain: 0, bad: 0, simulated: 0 },
      commands: 0,
      alarms: { INACT_ACK: 0, ACT_UNACK: 0, ACT_ACK: 0, INACT_UNACK: 0 },
    };
    this.#nodes.set(area, node);
    return node;
  }
}
