// What the forms of an answer have in common.
import type { Datatype } from '@telltale/schema';
import type { Columns } from '../records.ts';
import type { Page } from './page.ts';

/** The methods are called in this order; a name has any number of writes. */
export interface AnswerForm {
  begin(page: Page): void;
  /** `datatype` is that of its newest series, where there is one. */
  beginName(page: Page, name: string, datatype: Datatype | undefined): void;
  /** Writes the records until the page is full. Answers with the position behind the last one that was taken. */
  write(page: Page, datatype: Datatype, columns: Columns, from: number, to: number): number;
  endName(page: Page): void;
  end(page: Page): void;
}
