// What an SVG may have here: elements, attributes, and the forms of their values. All that is not listed is removed.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const elements = words(`
  svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc
  linearGradient radialGradient stop clipPath mask pattern marker image
  filter feBlend feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
  feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile`);

/** They are groups to us: of links and of alternatives, what is drawn stays. */
export const groups = words('a switch');

/** Only these have text. */
export const texts = words('text tspan textPath title desc');
/** And these nothing else. */
export const plainTexts = words('title desc');

const referring = words('use textPath linearGradient radialGradient pattern');

/** Attributes that CSS has as well: what styles say is written into these. */
export const properties = words(`
  alignment-baseline baseline-shift clip-path clip-rule color color-interpolation color-interpolation-filters direction display
  dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size font-size-adjust font-stretch
  font-style font-variant font-weight image-rendering letter-spacing marker-end marker-mid marker-start mask opacity overflow
  paint-order pointer-events shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
  stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-rendering unicode-bidi vector-effect
  visibility word-spacing writing-mode x y width height cx cy r rx ry`);

const others = words(`
  viewBox preserveAspectRatio transform transform-origin gradientTransform patternTransform gradientUnits patternUnits
  patternContentUnits clipPathUnits maskUnits maskContentUnits spreadMethod offset x1 y1 x2 y2 fx fy fr d points pathLength dx dy rotate
  textLength lengthAdjust startOffset method spacing side refX refY markerWidth markerHeight markerUnits orient
  filterUnits primitiveUnits in in2 result mode type values tableValues slope intercept amplitude exponent operator k1 k2 k3 k4
  stdDeviation radius`);

const ariaAttributes = words('aria-label aria-labelledby aria-describedby aria-hidden');
const roles = words('img group presentation none graphics-document graphics-object graphics-symbol');

const idForm = /^[\p{L}\p{N}_.:-]{1,128}$/u;
const bindingForm = /^data-tt-[a-z][a-z0-9-]{0,39}$/;
const classForm = /^tt-[a-z0-9-]{1,40}$/;
/** In the values of bindings, and others that people read. */
const mostTextLength = 4096;
/** Of a property, which a rule may give to many elements. */
const mostPropertyLength = 1024;

const functions = words('rgb rgba hsl hsla matrix translate translateX translateY scale rotate skewX skewY');
const localUrl = /url\(\s*(["']?)#([\p{L}\p{N}_.:-]{1,128})\1\s*\)/gu;
/** Longer than the longest of `functions`. */
const mostNameLength = 16;

const imageForm = /^data:image\/(png|jpe?g|webp);base64,([A-Za-z0-9+/]+={0,2})$/;
/** How the bytes of each begin, in base64. */
const imageStarts: Readonly<Record<string, string>> = { png: 'iVBORw0KGgo', jpeg: '/9j/', webp: 'UklGR' };

/** As it stays in an element; undefined: it does not. References that are of XLink come as `href`. */
export function attributeValue(element: string, attribute: string, value: string): string | undefined {
  if (attribute === 'id') return idForm.test(value) ? value : undefined;
  if (attribute === 'class')
    return (
      classesIn(value)
        .filter((each) => classForm.test(each))
        .join(' ') || undefined
    );
  if (attribute === 'href') return referenceOf(element, value);
  if (attribute === 'role') return roles.has(value) ? value : undefined;
  if (bindingForm.test(attribute) || ariaAttributes.has(attribute)) {
    return value.length > mostTextLength ? undefined : value;
  }
  if (properties.has(attribute)) return propertyValue(value);
  return others.has(attribute) ? harmless(value) : undefined;
}

export function propertyValue(value: string): string | undefined {
  return value.length > mostPropertyLength ? undefined : harmless(value.trim()) || undefined;
}

export function classesIn(value: string): string[] {
  return value.split(/\s+/).filter((each) => each !== '');
}

/** Values are CSS as well: nothing in them leads out of the picture, however it is written. */
function harmless(value: string): string | undefined {
  if (!value.includes('(') && !value.includes('\\')) return value;
  if (/[\\;{}@]|\/\*/.test(value)) return undefined;
  const local = value.replaceAll(localUrl, 'url(#$2)');
  return calledIn(local.replaceAll(localUrl, '')).every((name) => functions.has(name)) ? local : undefined;
}

/** What stands before each `(`; of a long name, its end. */
function calledIn(text: string): string[] {
  const before = text.split('(').slice(0, -1);
  return before.map((part) => /[\w-]*$/.exec(part.trimEnd().slice(-mostNameLength))?.[0] ?? '');
}

function referenceOf(element: string, value: string): string | undefined {
  if (element === 'image') return imageOf(value);
  const isLocal = referring.has(element) && value.startsWith('#') && idForm.test(value.slice(1));
  return isLocal ? value : undefined;
}

function imageOf(value: string): string | undefined {
  const [, kind = '', data = ''] = imageForm.exec(value.replaceAll(/\s/g, '')) ?? [];
  const type = kind === 'jpg' ? 'jpeg' : kind;
  const start = imageStarts[type];
  return start !== undefined && data.startsWith(start) ? `data:image/${type};base64,${data}` : undefined;
}
