// A choice of an object's fields.

/** Of the object, where `fields` is given, these alone. */
export function picked(object: object, fields: readonly string[] | undefined): object {
  if (fields === undefined) return object;
  return Object.fromEntries(Object.entries(object).filter(([field]) => fields.includes(field)));
}
