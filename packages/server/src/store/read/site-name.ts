// The name of an object among those of all sites.

export interface SiteName {
  readonly site: string;
  readonly name: string;
}

/** Of a site that is known, or as `site/name`. */
export function siteName(site: string | undefined, name: string): SiteName {
  if (site !== undefined) return { site, name };
  const slash = name.indexOf('/');
  return { site: name.slice(0, Math.max(0, slash)), name: name.slice(slash + 1) };
}

/** Others are no text to PostgreSQL, and nothing there is called so. */
export function isStorable({ site, name }: SiteName): boolean {
  return [site, name].every((text) => text.isWellFormed() && !text.includes('\0'));
}
