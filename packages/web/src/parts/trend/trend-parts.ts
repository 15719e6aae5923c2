// What belongs to one trend on the page: its state, where its records come from, and its drawing.

import { useEffect, useMemo } from 'preact/hooks';
import { TrendMarks } from '../../data/trend-marks.ts';
import { TrendSource } from '../../data/trend-source.ts';
import type { TrendDrawing } from './trend-drawing.ts';
import type { TrendModel } from './trend-model.ts';

/** What belongs to one trend on the page. */
export interface TrendParts {
  readonly model: TrendModel;
  readonly source: TrendSource;
  readonly marks: TrendMarks;
  /** Undefined until the plot is on the page. */
  drawing: TrendDrawing | undefined;
}

/** Lives as long as the component. */
export function useTrend(model: TrendModel): TrendParts {
  const parts = useMemo(
    (): TrendParts => ({
      model,
      source: new TrendSource(),
      marks: new TrendMarks(),
      drawing: undefined,
    }),
    [model],
  );
  useEffect(() => () => parts.source.close(), [parts]);
  return parts;
}
