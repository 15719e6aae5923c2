// Options of schemas of objects that have no other members than their properties.

export const closed = { additionalProperties: false } as const;

/** The title is its name in the OpenAPI document. */
export const strict = (title: string) => ({ title, ...closed });
