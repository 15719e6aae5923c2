// By what objects are selected, beside their names: all that is given must hold, of a list any item.
import type { Datatype, QualityWord } from '@telltale/schema';

type Some<Item extends string = string> = Item | readonly Item[] | undefined;

export interface AlarmCriteria {
  /** A path such as `works.dosing`, with everything below it. */
  readonly area?: Some;
  /** Words, all of which are in the name or the description, in whatever case. */
  readonly search?: string | undefined;
  readonly connector?: Some;
}

export interface PointCriteria extends AlarmCriteria {
  readonly datatype?: Some<Datatype>;
}

export interface MeasurementCriteria extends PointCriteria {
  readonly quality?: Some<QualityWord>;
}

/** With names, and patterns of names such as `pump*`. */
type Named<Criteria> = Criteria & { readonly names?: readonly string[] | undefined };
export type MeasurementSelector = Named<MeasurementCriteria>;
export type CommandSelector = Named<PointCriteria>;
export type AlarmSelector = Named<AlarmCriteria>;

/** As a request of the channel has it; all there is where nothing is given. */
export function selectorOf(selector: MeasurementSelector): Readonly<Record<string, unknown>> | 'all' {
  const list = (items: Some) => (typeof items === 'string' ? items.split(',') : items);
  const { names, area, search, connector, datatype, quality } = selector;
  const lists = { area: list(area), connector: list(connector), datatype: list(datatype), quality: list(quality) };
  const given = Object.entries({ names, ...lists, search }).filter(([, value]) => value !== undefined);
  return given.length === 0 ? 'all' : Object.fromEntries(given);
}

/** As a query has them. */
export function criteriaOf({ area, search, connector, datatype, quality }: MeasurementCriteria) {
  return {
    area: area?.toString(),
    search,
    connector: connector?.toString(),
    datatype: datatype?.toString(),
    quality: quality?.toString(),
  };
}
