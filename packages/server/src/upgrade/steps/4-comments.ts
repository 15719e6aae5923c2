// Format 4: a revision can have a comment.
import { addColumn, type Step } from '../step.ts';

export const comments: Step = {
  format: 4,
  summary: 'revisions can have a comment',
  configuration: (sqlite) => addColumn(sqlite, 'renderings', 'comment', 'TEXT'),
};
