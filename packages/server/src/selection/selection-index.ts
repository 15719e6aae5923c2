// Selects live objects of one kind: by the index that leads to the fewest, and then by looking at each of them.
import {
  areaPaths,
  checkSelector,
  isPattern,
  NamePattern,
  nameMatcher,
  type Selector,
  searchWords,
} from '@telltale/schema';
import { stepItems } from '../points/index.ts';
import { GramIndex, searchedText } from './gram-index.ts';
import type { KeptIndex } from './kept-index.ts';
import { KeyIndex } from './key-index.ts';
import { NameIndex } from './name-index.ts';
import { isOfQuality, QualityIndex } from './quality-index.ts';
import type { Definition, Selectable } from './selectable.ts';

/** Whether objects are selected. It looks at the objects, not at an index: always right, and fit for each change. */
export interface Matcher {
  /** By what is configured and by its quality, as both are now. False where there is no object at this handle. */
  matches(handle: number): boolean;
  /** Whether a change of its quality may make an object match, or no longer: it is to be asked again then. */
  readonly followsQuality: boolean;
}

/** A way to objects that may match: all that do are among them. */
interface Way {
  readonly count: number;
  handles(): Iterable<number>;
}

export class SelectionIndex {
  readonly #objects: Selectable;
  readonly #byArea: KeyIndex;
  readonly #byConnector: KeyIndex;
  readonly #byDatatype: KeyIndex;
  readonly #starts: NameIndex;
  readonly #ends: NameIndex;
  readonly #grams: GramIndex;
  readonly #byQuality: QualityIndex | undefined;

  constructor(objects: Selectable) {
    this.#objects = objects;
    this.#byArea = new KeyIndex(objects, ({ area }) => areaPaths(area));
    this.#byConnector = new KeyIndex(objects, ({ connectorName }) =>
      connectorName === undefined ? [] : [connectorName],
    );
    this.#byDatatype = new KeyIndex(objects, ({ datatype }) => (datatype === undefined ? [] : [datatype]));
    this.#starts = new NameIndex(objects, false);
    this.#ends = new NameIndex(objects, true);
    this.#grams = new GramIndex(objects);
    this.#byQuality = objects.qualities && new QualityIndex(objects, objects.qualities);
    const changed = (handle: number) => {
      for (const index of this.#kept()) index.changed(handle);
      this.#byQuality?.changed(handle);
    };
    objects.onPut(changed);
    objects.onRemoval(changed);
  }

  /** Throws where the selector asks for too much. */
  matcher(selector: Selector): Matcher {
    checkSelector(selector);
    const { names, area, connector, datatype, quality, search } = selector;
    const tests: ((definition: Definition) => boolean)[] = [];
    if (names !== undefined) {
      const isNamed = nameMatcher(names);
      tests.push(({ name }) => isNamed(name));
    }
    if (area !== undefined) tests.push((each) => area.some((path) => isInArea(each.area, path)));
    if (connector !== undefined) tests.push(({ connectorName }) => connector.includes(connectorName as string));
    if (datatype !== undefined) tests.push((each) => each.datatype !== undefined && datatype.includes(each.datatype));
    if (search !== undefined) {
      const words = searchWords(search);
      tests.push((each) => {
        const text = searchedText(each);
        return words.every((word) => text.includes(word));
      });
    }
    const wanted = quality && new Set(quality);
    const { qualities } = this.#objects;
    return {
      followsQuality: wanted !== undefined,
      matches: (handle) => {
        const definition = this.#objects.definitionAt(handle);
        if (definition === undefined || !tests.every((test) => test(definition))) return false;
        return wanted === undefined || (qualities !== undefined && isOfQuality(qualities.qualityOf(handle), wanted));
      },
    };
  }

  /**
   * In steps: the handles of all that match, each once, in the order of handles. By the time that they are used, some may
   * match no longer: ask `matcher` again then. Throws where the selector asks for too much.
   */
  *select(selector: Selector, matcher: Matcher = this.matcher(selector)): Generator<void, Uint32Array> {
    for (const index of this.#used(selector)) yield* index.refresh();
    const way = shortest(this.#ways(selector), this.#everything());
    const found: number[] = [];
    let items = 0;
    for (const handle of way.handles()) {
      if (handle >= 0 && matcher.matches(handle)) found.push(handle);
      if (++items % stepItems === 0) yield;
    }
    const sorted = Uint32Array.from(found).sort();
    return sorted.filter((handle, at) => at === 0 || handle !== sorted[at - 1]);
  }

  *#kept(): Generator<KeptIndex> {
    yield this.#byArea;
    yield this.#byConnector;
    yield this.#byDatatype;
    yield this.#starts;
    yield this.#ends;
    yield this.#grams;
  }

  /** Those that can lead to what is selected; of no other one the work is done. */
  *#used({ names, area, connector, datatype, quality, search }: Selector): Generator<KeptIndex | QualityIndex> {
    const patterns = (names ?? []).filter(isPattern).map((text) => new NamePattern(text));
    if (patterns.some(({ prefix }) => prefix !== '')) yield this.#starts;
    if (patterns.some(({ suffix }) => suffix !== '')) yield this.#ends;
    if (search !== undefined || patterns.some(({ middle }) => middle.length > 0)) yield this.#grams;
    if (area !== undefined) yield this.#byArea;
    if (connector !== undefined) yield this.#byConnector;
    if (datatype !== undefined) yield this.#byDatatype;
    if (quality !== undefined && this.#byQuality !== undefined) yield this.#byQuality;
  }

  #everything(): Way {
    return { count: this.#objects.size, handles: () => this.#objects.all() };
  }

  #ways({ names, area, connector, datatype, quality, search }: Selector): Way[] {
    const ways: Way[] = [];
    const byQuality = this.#byQuality;
    if (names !== undefined) ways.push(union(names.map((name) => this.#wayToName(name))));
    if (area !== undefined) ways.push(union(area.map((key) => wayTo(this.#byArea.of(key)))));
    if (connector !== undefined) ways.push(union(connector.map((key) => wayTo(this.#byConnector.of(key)))));
    if (datatype !== undefined) ways.push(union(datatype.map((key) => wayTo(this.#byDatatype.of(key)))));
    if (quality !== undefined && byQuality !== undefined) {
      ways.push(
        union(quality.map((word) => ({ count: byQuality.count(word), handles: () => byQuality.handles(word) }))),
      );
    }
    if (search !== undefined) ways.push(this.#wayByGrams(searchWords(search)));
    return ways;
  }

  #wayToName(name: string): Way {
    if (!isPattern(name)) return { count: 1, handles: () => [this.#objects.find(name)] };
    const { prefix, suffix, middle } = new NamePattern(name);
    const ways: Way[] = [];
    if (prefix !== '') ways.push(this.#wayByEnd(this.#starts, prefix));
    if (suffix !== '') ways.push(this.#wayByEnd(this.#ends, suffix));
    if (middle.length > 0) ways.push(this.#wayByGrams(middle));
    return shortest(ways, this.#everything());
  }

  #wayByEnd(index: NameIndex, end: string): Way {
    return { count: index.count(end), handles: () => this.#found(index.names(end)) };
  }

  *#found(names: Iterable<string>): Generator<number> {
    for (const name of names) yield this.#objects.find(name);
  }

  #wayByGrams(texts: readonly string[]): Way {
    const count = this.#grams.count(texts);
    return count === undefined ? this.#everything() : { count, handles: () => this.#grams.handles(texts) };
  }
}

/** In the area itself, or in one below it. */
function isInArea(area: string | undefined, path: string): boolean {
  return path !== '' && (area === path || area?.startsWith(`${path}.`) === true);
}

function shortest(ways: readonly Way[], otherwise: Way): Way {
  return ways.reduce((best, way) => (way.count < best.count ? way : best), otherwise);
}

function wayTo(handles: ReadonlySet<number>): Way {
  return { count: handles.size, handles: () => handles };
}

function union(ways: readonly Way[]): Way {
  return {
    count: ways.reduce((sum, { count }) => sum + count, 0),
    *handles() {
      for (const way of ways) yield* way.handles();
    },
  };
}
