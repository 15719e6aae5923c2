// Collections of objects as JSON text.

/** From name to object; made as text, so that every name is an ordinary one. */
export function collectionText(objects: Iterable<readonly [name: string, object: object]>): string {
  return `{${Array.from(objects, ([name, object]) => `${JSON.stringify(name)}:${JSON.stringify(object)}`).join(',')}}`;
}

/** Of the object, where `fields` is given, these alone. */
export function picked(object: object, fields: readonly string[] | undefined): object {
  if (fields === undefined) return object;
  return Object.fromEntries(Object.entries(object).filter(([field]) => fields.includes(field)));
}
