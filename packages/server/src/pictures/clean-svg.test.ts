import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cleanSvg, maxCleanLength } from './clean-svg.ts';
import { SvgFault } from './svg-fault.ts';

const svg = 'xmlns="http://www.w3.org/2000/svg"';
const xlink = 'xmlns:xlink="http://www.w3.org/1999/xlink"';

/** Of what stands in a clean picture, without its outermost element. */
function inner(content: string): string {
  return cleanSvg(`<svg ${svg} ${xlink}>${content}</svg>`)
    .replace(/^<svg [^>]*?(?:\/>|>\n?)/, '')
    .replace(/\n?<\/svg>$/, '');
}

/** Whatever form they are hidden in, nothing of these may be left. `MARK` is in each of them. */
const hostile: readonly string[] = [
  '<script>MARK</script>',
  '<script href="data:,MARK"/>',
  '<x:script xmlns:x="http://www.w3.org/2000/svg">MARK</x:script>',
  '<script xmlns="http://www.w3.org/1999/xhtml">MARK</script>',
  '<h:script xmlns:h="http://www.w3.org/1999/xhtml">MARK</h:script>',
  '<SCRIPT>MARK</SCRIPT>',
  '<g><g><script><![CDATA[MARK]]></script></g></g>',
  '<rect onclick="MARK"/>',
  '<rect ONLOAD="MARK"/>',
  '<g onfocusin="MARK" tabindex="0"/>',
  '<rect xlink:onclick="MARK"/>',
  '<foreignObject><div xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="MARK"/></div></foreignObject>',
  '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:MARK"/></foreignObject>',
  '<iframe src="javascript:MARK"/>',
  '<embed src="MARK"/>',
  '<a href="javascript:MARK"><text>x</text></a>',
  '<a xlink:href="&#106;avascript:MARK"><rect/></a>',
  '<a xlink:href="java&#10;script:MARK"><rect/></a>',
  '<use href="data:image/svg+xml;base64,MARK#x"/>',
  '<use href="http://example.org/MARK.svg#a"/>',
  '<use xlink:href="//example.org/MARK#a"/>',
  '<use href="MARK.svg#a"/>',
  '<use href="#a&quot; onload=&quot;MARK"/>',
  '<image href="http://example.org/MARK.png"/>',
  '<image href="data:image/svg+xml,&lt;svg onload=MARK>"/>',
  '<image href="data:image/png;base64,PHN2ZyBvbmxvYWQ9TUFSSz4MARK"/>',
  '<image href="data:image/png,MARK"/>',
  '<image xlink:href="data:text/html;base64,iVBORw0KGgoMARK"/>',
  '<feImage href="http://example.org/MARK"/>',
  '<animate attributeName="href" values="javascript:MARK"/>',
  '<set attributeName="onclick" to="MARK"/>',
  '<animateTransform attributeName="transform" onbegin="MARK"/>',
  '<animateMotion><mpath href="MARK"/></animateMotion>',
  '<rect fill="url(http://example.org/MARK)"/>',
  '<rect fill="url(//example.org/MARK#a)"/>',
  '<rect fill="u\\72l(http://example.org/MARK)"/>',
  '<rect fill="url(#a) url(MARK)"/>',
  '<rect fill="url(&#39;#a) url(MARK&#39;)"/>',
  '<rect filter="url(data:image/svg+xml,MARK#f)"/>',
  '<rect mask="image-set(&quot;MARK&quot; 1x)"/>',
  '<rect cursor="url(MARK), auto"/>',
  '<rect style="fill:url(http://example.org/MARK)"/>',
  '<rect style="background:url(MARK);behavior:url(MARK);-moz-binding:url(MARK)"/>',
  '<rect style="fill:expression(MARK)"/>',
  '<rect style="fill:/**/url(MARK)"/>',
  '<rect style="stroke:\\75rl(MARK)"/>',
  '<style>@import url(MARK);</style><rect/>',
  '<style>@import "MARK"; rect{fill:url(MARK)}</style><rect/>',
  '<style>@font-face{font-family:a;src:url(MARK)} rect{font-family:a}</style><rect/>',
  '<style>rect{fill:url(MARK)}</style><rect/>',
  '<style>&lt;/style>&lt;script>MARK&lt;/script></style>',
  '<style><![CDATA[</style><script>MARK</script>]]></style>',
  '<title><style><img src="MARK" xmlns="http://www.w3.org/1999/xhtml"/></style></title>',
  '<desc><rect id="MARK"/></desc>',
  '<title><foreignObject>MARK</foreignObject></title>',
  '<!-- MARK -->',
  '<!--><img src=MARK onerror=x>-->',
  '<?xml-stylesheet href="MARK"?>',
  '<?php MARK ?>',
  '<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">MARK</rdf:RDF></metadata>',
  '<sodipodi:namedview xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" id="MARK"/>',
  '<g xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" inkscape:label="MARK"/>',
  '<rect id="a b MARK"/>',
  '<rect id="x&quot;&gt;&lt;img src=MARK&gt;"/>',
  '<rect class="dialog MARK"/>',
  '<rect role="alert MARK"/>',
  '<rect nonce="MARK" part="MARK" slot="MARK" is="MARK"/>',
  '<rect xml:base="http://MARK/"/>',
  '<rect href="#MARK"/>',
  '<font-face-uri href="MARK"/>',
  '<handler xmlns="http://www.w3.org/2001/xml-events">MARK</handler>',
  '<video xmlns="http://www.w3.org/1999/xhtml"><source src="MARK"/></video>',
  '<math xmlns="http://www.w3.org/1998/Math/MathML"><mtext>MARK</mtext></math>',
  '<g>MARK</g>',
];

describe('an SVG that comes in', () => {
  for (const content of hostile) {
    test(`has nothing left of ${content}`, () => {
      const clean = cleanSvg(`<svg ${svg} ${xlink}>${content}</svg>`);
      assert.doesNotMatch(clean, /MARK/);
      assert.equal(cleanSvg(clean), clean);
    });
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /line 1, column 1: has no element/],
    ['no picture', /line 1, column 1: has text outside/],
    ['<html xmlns="http://www.w3.org/1999/xhtml"/>', /outermost element is not svg/],
    [`<svg ${svg}>\n<rect></svg>`, /line 2, column 7: <\/svg> stands where <\/rect> is due/],
    [`<svg ${svg}><rect/>`, /ends before <\/svg>/],
    [`<svg ${svg}/><svg ${svg}/>`, /second outermost element/],
    [`<svg ${svg}><rect x="1" x="2"/></svg>`, /x twice/],
    [`<svg ${svg} xmlns:a="u" xmlns:b="u"><rect a:x="1" b:x="2"/></svg>`, /b:x twice/],
    [`<svg ${svg}><rect x=1/></svg>`, /not in quotes/],
    [`<svg ${svg}><rect checked/></svg>`, /checked has no value/],
    [`<svg ${svg}><x:rect/></svg>`, /prefix that is not declared/],
    [`<svg ${svg}>&nbsp;</svg>`, /&nbsp; is not known/],
    [`<svg ${svg}><text>a & b</text></svg>`, /write &amp;/],
    [`<svg ${svg}><text>\0</text></svg>`, /character that XML does not allow/],
    [`<svg ${svg}><text>&#0;</text></svg>`, /&#0; is not known/],
    [`<svg ${svg}><text>&#xD800;</text></svg>`, /not known/],
    [`<svg ${svg}><text>\ud800</text></svg>`, /surrogate/],
    [`<!DOCTYPE svg [<!ENTITY a "MARK">]><svg ${svg}>&a;</svg>`, /document type with entities/],
    [
      `<!DOCTYPE svg SYSTEM "x" [\n<!ENTITY % a SYSTEM "file:///etc/passwd">%a;]><svg ${svg}/>`,
      /document type with entities/,
    ],
    [`<svg ${svg}><g id="a"><use href="#a"/></g></svg>`, /repeats itself/],
    [`<svg ${svg}>${'<g>'.repeat(64)}${'</g>'.repeat(64)}</svg>`, /more than 64 deep/],
    [`<svg ${svg}>${'<g/>'.repeat(50_000)}</svg>`, /more than 50000 elements/],
    [`<svg ${svg} ${Array.from({ length: 257 }, (_, at) => `a${at}=""`).join(' ')}/>`, /more than 256 attributes/],
    [`<svg ${svg}><path d="${'M0 0'.repeat(maxCleanLength / 4)}"/></svg>`, /more than 1048576 characters/],
  ];
  for (const [document, why] of refused) {
    test(`is refused, with the place, where it is ${JSON.stringify(document.slice(0, 90))}`, () => {
      assert.throws(
        () => cleanSvg(document),
        (error) => error instanceof SvgFault && why.test(error.message),
      );
    });
  }

  test('is refused where a few lines of it draw more than a browser can', () => {
    const levels = Array.from(
      { length: 20 },
      (_, at) => `<g id="l${at}">${`<use href="#l${at + 1}"/>`.repeat(10)}</g>`,
    );
    assert.throws(() => inner(`<defs>${levels.join('')}<g id="l20"/></defs>`), /draws more than 200000 elements/);
    const masks = Array.from(
      { length: 20 },
      (_, at) => `<mask id="m${at}">${`<rect mask="url(#m${at + 1})"/>`.repeat(10)}</mask>`,
    );
    assert.throws(() => inner(masks.join('')), /draws more than 200000 elements/);
    const lists = masks.map((each) => each.replaceAll('mask="', 'mask="none, '));
    assert.throws(() => inner(lists.join('')), /draws more than 200000 elements/);
    const patterns = Array.from(
      { length: 20 },
      (_, at) =>
        `<pattern id="p${at}" href="#q${at}"/><pattern id="q${at}">${`<rect fill="url(#p${at + 1})"/>`.repeat(10)}</pattern>`,
    );
    assert.throws(() => inner(patterns.join('')), /draws more than 200000 elements/);
    const marker = `<marker id="m">${'<path/>'.repeat(100)}</marker>`;
    const corners = `d="M0 0${'h1'.repeat(5000)}"`;
    assert.throws(() => inner(`${marker}<path marker-mid="url(#m)" ${corners}/>`), /draws more than 200000 elements/);
    assert.throws(
      () => inner(`${marker}<g marker-mid="url(#m)"><path ${corners}/></g>`),
      /draws more than 200000 elements/,
    );
    inner(`${marker}<path marker-end="url(#m)" ${corners}/>`);
  });

  test('is refused where its styles apply more often than they can be looked at', () => {
    const rules = Array.from({ length: 1000 }, (_, at) => `.a{fill:#${String(at).padStart(6, '0')}}`).join('');
    assert.throws(() => inner(`<style>${rules}</style>${'<g class="a"/>'.repeat(5000)}`), /apply too often/);
  });

  const many = (text: string, length = maxCleanLength) => text.repeat(Math.floor(length / text.length));
  const prefixed = Array.from(
    { length: 60 },
    (_, depth) => `<g ${Array.from({ length: 100 }, (_, at) => `xmlns:a${depth}_${at}="u"`).join(' ')}>`,
  );
  const slow: Readonly<Record<string, string>> = {
    'a long word where a function could be': `<path d="${many('a')}!("/>`,
    'spaces where a function could be': `<path d="${many(' ')}!("/>`,
    'spaces before what is not important': `<path style="fill:${many(' ')}!x"/>`,
    'comments without an end': `<style>${many('/* ')}</style><path style="${many('/* ')}"/>`,
    'selectors of many parts': `<style>${many('.a', 300_000)}{fill:red}</style>${many('<g class="a"/>', 600_000)}`,
    'prefixes that are declared over and over': `${prefixed.join('')}${many(
      '<g xmlns:z="u"/>',
      700_000,
    )}${'</g>'.repeat(60)}`,
    'a namespace that is long': `<g xmlns:a="${many('u')}">${many('<g a:b="" a:c="" a:d="" a:e=""/>')}</g>`,
  };
  for (const [name, content] of Object.entries(slow)) {
    test(`is cleaned or refused in one pass, whatever its length: ${name}`, () => {
      try {
        inner(content);
      } catch (error) {
        assert.ok(error instanceof SvgFault, String(error));
      }
    });
  }

  test('keeps what it draws, binds and says', () => {
    const kept = [
      '<defs>',
      '<symbol id="pump" viewBox="0 0 40 40">',
      '<circle cx="20" cy="20" r="18" class="tt-equipment" data-tt-point="{unit}_running" data-tt-state="0:off 1:on"/>',
      '</symbol>',
      '<linearGradient id="g">',
      '<stop offset="0" stop-color="#fff"/>',
      '</linearGradient>',
      '</defs>',
      '<use href="#pump" x="10" data-tt-parameters="unit=pump2&amp;line=3" aria-label="Pump 2"/>',
      '<rect fill="url(#g)" transform="rotate(30 5 5)" data-tt-visible="&gt;=1"/>',
      '<text x="1" data-tt-text="value unit">0.00 <tspan>m&#13;</tspan></text>',
      '<image href="data:image/png;base64,iVBORw0KGgo=" width="3"/>',
      '<title>A &amp; B</title>',
    ].join('\n');
    assert.equal(inner(kept), kept);
  });

  test('needs no namespaces where it has none at all, and gets a viewBox of its size', () => {
    const clean = `<svg ${svg} width="20" height="10.5px" viewBox="0 0 20 10.5">\n<g/>\n</svg>`;
    assert.equal(
      cleanSvg('<?xml version="1.0"?><!DOCTYPE svg PUBLIC "a" "b"><svg width="20" height="10.5px"><g/></svg>'),
      clean,
    );
    assert.equal(
      cleanSvg(`\ufeff<s:svg xmlns:s="http://www.w3.org/2000/svg" width="20" height="10.5px"><s:g/></s:svg>`),
      clean,
    );
  });

  test('gets attributes of its styles, as a browser would apply them', () => {
    const styled = (sheet: string, rect: string) => inner(`<style>${sheet}</style><rect ${rect}/>`);
    assert.equal(
      inner('<rect style="fill:#fff; stroke : red;-inkscape-stroke:none"/>'),
      '<rect fill="#fff" stroke="red"/>',
    );
    assert.equal(inner('<rect fill="red" style="fill:blue"/>'), '<rect fill="blue"/>');
    assert.equal(styled('.cls-1,.cls-2{fill:#fff}', 'class="cls-1 tt-line"'), '<rect class="tt-line" fill="#fff"/>');
    assert.equal(styled('.a{fill:red}rect{fill:blue}', 'class="a"'), '<rect fill="red"/>');
    assert.equal(styled('.a{fill:red}.a{fill:blue}', 'class="a"'), '<rect fill="blue"/>');
    assert.equal(styled('#a{fill:red}.a{fill:blue}', 'class="a" id="a"'), '<rect id="a" fill="red"/>');
    assert.equal(styled('rect{fill:red!important}', 'style="fill:blue"'), '<rect fill="red"/>');
    assert.equal(styled('/* } */ .a{fill:/* x */red}', 'class="a"'), '<rect fill="red"/>');
    assert.equal(styled('g .a{fill:red}.a:hover{fill:red}@media print{.a{fill:red}}', 'class="a"'), '<rect/>');
    assert.equal(styled('<![CDATA[.a>.b{fill:red}.a{fill:blue}]]>', 'class="a"'), '<rect fill="blue"/>');
  });

  test('keeps the look of a link and of alternatives, without what they lead to', () => {
    assert.equal(inner('<a href="#x" fill="red"><rect/></a>'), '<g fill="red">\n<rect/>\n</g>');
    assert.equal(inner('<switch><foreignObject/><text>a</text></switch>'), '<g>\n<text>a</text>\n</g>');
  });

  test('has each id once: that of the first', () => {
    assert.equal(inner('<g id="a"/><g id="a"/>'), '<g id="a"/>\n<g/>');
  });
});

const anyAttribute = fc.constantFrom(
  'id="a"',
  'id="b"',
  'class="tt-x y"',
  'fill="url( \'#a\' )"',
  'fill="url(http://x)"',
  'style="fill:red;stroke:url(#a)"',
  'href="#a"',
  'xlink:href="#b"',
  'onclick="x"',
  'x=" 1 "',
  'data-tt-text="&lt;b&gt;&#10;&amp;&quot;&#9;"',
  'xml:space="preserve"',
  'e:x="1"',
);
const anyName = fc.constantFrom(
  'g',
  'rect',
  'text',
  'tspan',
  'title',
  'use',
  'a',
  'style',
  'script',
  'e:g',
  's:path',
  'defs',
);
const anyText = fc.constantFrom(
  ' ',
  '\n',
  'a',
  '&lt;',
  '<![CDATA[<b>]]]]>',
  '<![CDATA[]]>',
  '&#13;',
  '.y{fill:blue}',
  '<!-- c -->',
  '\u2028',
);
const { node: anyNode } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    anyText,
    fc
      .tuple(
        anyName,
        fc.uniqueArray(anyAttribute, { maxLength: 3, selector: (each) => each.split('=')[0] }),
        fc.array(tie('node'), { maxLength: 4 }),
      )
      .map(([name, attributes, nodes]) => `<${name} ${attributes.join(' ')}>${nodes.join('')}</${name}>`),
  ),
}));

test('cleaned again, whatever it was, an SVG is the same', () => {
  let cleaned = 0;
  fc.assert(
    fc.property(fc.array(anyNode, { maxLength: 6 }), (nodes) => {
      let clean: string;
      try {
        clean = cleanSvg(
          `<svg ${svg} ${xlink} xmlns:s="http://www.w3.org/2000/svg" xmlns:e="e">${nodes.join('')}</svg>`,
        );
      } catch (error) {
        assert.ok(error instanceof SvgFault, String(error));
        return;
      }
      cleaned++;
      assert.equal(cleanSvg(clean), clean);
      assert.doesNotMatch(clean, /script|onclick|style|xlink|http:(?!\/\/www\.w3\.org\/2000\/svg")/);
    }),
    { numRuns: 2000 },
  );
  assert.ok(cleaned > 1000, `${cleaned}`);
});

test('any text at all is cleaned or refused, and nothing else happens', () => {
  const pieces = fc.constantFrom(
    '<',
    '>',
    '/',
    '"',
    "'",
    '=',
    ' ',
    'svg',
    'g',
    '<svg>',
    '</svg>',
    '&',
    ';',
    '#',
    '!',
    '[',
    ']',
    '-',
    '?',
    ':',
    'xmlns',
    '\0',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      try {
        const clean = cleanSvg(`<svg>${parts.join('')}</svg>`);
        assert.equal(cleanSvg(clean), clean);
      } catch (error) {
        assert.ok(error instanceof SvgFault, String(error));
      }
    }),
    { numRuns: 5000 },
  );
});
