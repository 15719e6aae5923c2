// By what objects are selected, beside their names: all that is given must hold, of a list any item.
import type { Datatype, QualityWord } from '@telltale/schema';

type Some<Item extends string = string> = Item | readonly Item[] | undefined;

export interface AlarmCriteria {
  /** A path such as `works.dosing`, with everything below it. */
  readonly area?: Some;
  /** Words, all of which are in the name or the description, in whatever case. */
  readonly search?: string | undefined;
}

export interface PointCriteria extends AlarmCriteria {
  readonly connector?: Some;
  readonly datatype?: Some<Datatype>;
}

export interface MeasurementCriteria extends PointCriteria {
  readonly quality?: Some<QualityWord>;
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
