// The view pictures: the list of all, one of them as it lives, and its editor.

import { moment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { NotPermitted } from '../../parts/not-permitted.tsx';
import { viewQueryOf } from '../../router.ts';
import type { ViewProps } from '../../routes.ts';
import { PictureEditor } from './editor/picture-editor.tsx';
import { PictureList } from './picture-list.tsx';
import { PictureShown } from './picture-shown.tsx';

const edit = viewQueryOf('edit');

export default function PicturesView({ parameters }: ViewProps) {
  const { name } = parameters;
  if (name === undefined) return <PictureList />;
  if (edit.value === '' || moment.value !== undefined) return <PictureShown key={name} name={name} />;
  if (may('configure')) return <PictureEditor key={name} name={name} />;
  return (
    <>
      <NotPermitted permission="configure" />
      <PictureShown key={name} name={name} />
    </>
  );
}
