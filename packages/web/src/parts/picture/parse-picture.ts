// Makes nodes of the text of an SVG. The service has removed what is not harmless before it stored the text; it is removed here
// once more, so that no fault of the one is enough.

interface Policy {
  createHTML(text: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

const asItIs: Policy = { createHTML: (text) => text };
const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('telltale-picture', asItIs) ?? asItIs;

export const svgNamespace = 'http://www.w3.org/2000/svg';
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

/** A document of its own: nothing in it runs, and nothing of it is shown until a copy is. Undefined: it is no SVG. */
export function parsePicture(text: string): SVGSVGElement | undefined {
  const parsed = new DOMParser().parseFromString(policy.createHTML(text), 'image/svg+xml');
  const root = parsed.documentElement;
  if (!(root instanceof SVGSVGElement) || parsed.querySelector('parsererror') !== null) return undefined;
  for (const element of [root, ...root.querySelectorAll('*')]) {
    if (isHarmful(element)) element.remove();
    else
      for (const attribute of [...element.attributes])
        if (isForeign(element, attribute)) element.removeAttributeNode(attribute);
    const classes = element.getAttribute('class');
    if (classes !== null) element.setAttribute('class', ownClasses(classes));
  }
  return root;
}

const harmful = /^(?:script|style|foreignobject|animate.*|set|discard|handler|listener|a|feimage|audio|video|iframe)$/i;

function isHarmful({ namespaceURI, localName }: Element): boolean {
  return namespaceURI !== svgNamespace || harmful.test(localName);
}

const insideImage = /^data:image\/(?:png|jpeg|webp);base64,/;

function isForeign({ localName: element }: Element, { localName, value, namespaceURI, prefix }: Attr): boolean {
  const name = localName.toLowerCase();
  if (name === 'href') return !(element === 'image' ? insideImage.test(value) : value.startsWith('#'));
  if (name === 'xmlns' || prefix === 'xmlns') return false;
  if (namespaceURI !== null && namespaceURI !== xmlNamespace) return true;
  // What the page says of an element is what it shows: no role of the drawing's own.
  if (name.startsWith('on') || ['style', 'tabindex', 'role', 'aria-hidden'].includes(name)) return true;
  return !name.startsWith('data-tt-') && /\\|url\((?!#)/i.test(value);
}

/** States are what the page gives. */
function ownClasses(classes: string): string {
  const own = classes.split(/\s+/).filter((each) => /^tt-[a-z0-9-]+$/.test(each));
  return own.filter((each) => !/^tt-(?:state-|hidden$|bad$)/.test(each)).join(' ');
}
