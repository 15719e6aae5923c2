// The view pictures: the list of all, one of them as it lives, and its editor.

import { moment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { viewQueryOf } from '../../router.ts';
import type { ViewProps } from '../../routes.ts';
import { PictureEditor } from './editor/picture-editor.tsx';
import { PictureList } from './picture-list.tsx';
import { PictureShown } from './picture-shown.tsx';

const edit = viewQueryOf('edit');

export default function PicturesView({ parameters }: ViewProps) {
  const { name } = parameters;
  if (name === undefined) return <PictureList />;
  const isEdited = edit.value !== '' && moment.value === undefined && may('configure');
  return isEdited ? <PictureEditor key={name} name={name} /> : <PictureShown key={name} name={name} />;
}
