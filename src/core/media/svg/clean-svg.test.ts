import { DOMParser } from 'linkedom'
import { describe, expect, test } from 'vitest'
import fc from '../../../../tests/harness/fast-check.ts'
import { attributes, elements, properties } from './allowed.ts'
import { cleanSvg } from './clean-svg.ts'
import { SvgError } from './parse.ts'

const root = '<svg xmlns="http://www.w3.org/2000/svg"'
const clean = (text: string): string => cleanSvg(Buffer.from(text))
const faultOf = (input: string | Uint8Array): string | undefined => {
  try {
    cleanSvg(Buffer.from(input))
  } catch (error) {
    if (error instanceof SvgError) return error.fault
    throw error
  }
  return undefined
}
const documentType =
  '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

describe('what runs, links or loads does not come through', () => {
  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script of another prefix', '<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>'],
    ['HTML', '<h:script xmlns:h="http://www.w3.org/1999/xhtml" src="http://x.ir"/>'],
    ['HTML as the default namespace', '<script xmlns="http://www.w3.org/1999/xhtml">x</script>'],
    ['foreign content', '<foreignObject><rect width="1"/></foreignObject>'],
    ['an animation', '<animate attributeName="href" to="javascript:x"/><set attributeName="onload" to="x"/>'],
    ['an outside picture', '<image href="http://x.ir/a.png"/>'],
    ['a picture of a file', '<image xlink:href="file:///etc/passwd"/>'],
    ['HTML as a picture', '<image href="data:text/html;base64,PHNjcmlwdD4="/>'],
    ['SVG as a picture', '<image href="data:image/svg+xml;base64,PHN2Zy8+"/>'],
    ['HTML said to be a picture', '<image href="data:image/png;base64,PHNjcmlwdD4="/>'],
    ['a filter that loads', '<feImage href="http://x.ir/a.png"/>'],
    ['an import', '<style>@import url(http://x.ir/a.css); @import "b.css";</style>'],
    ['a font', '<style>@font-face{font-family:x;src:url(http://x.ir)}</style>'],
    ['an iframe', '<iframe src="http://x.ir"/>'],
  ])('%s', (_, content) => {
    expect(clean(`${root}>${content}</svg>`)).toBe(`${root}/>`)
  })

  test.each([
    'onload="x"',
    'onLoad="x"',
    'ONCLICK="x"',
    'xml:base="http://x.ir/"',
    'href="http://x.ir"',
    'xlink:href="javascript:x"',
    'xmlns:q="http://www.w3.org/1999/xlink" q:href="JaVaScRiPt:x"',
    'href="&#106;avascript:x"',
    'href="java&#10;script:x"',
    'href=" &#x09;javascript:x"',
    'href="data:text/html,x"',
    'href="//x.ir/a#b"',
    'href="a.svg#b"',
    'fill="url(http://x.ir/#a)"',
    `fill="url( 'http://x.ir/#a' )"`,
    'fill="URL(//x.ir)"',
    'fill="u\\72l(http://x.ir)"',
    'fill="url/**/(http://x.ir)"',
    'fill="red url(#a) url(http://x.ir)"',
    'fill="image-set(&quot;http://x.ir&quot; 1x)"',
    'style="fill:url(http://x.ir)"',
    'style="background:url(http://x.ir)"',
    'style="fill:&#117;rl(http://x.ir)"',
    'style="behavior:url(#x);-moz-binding:url(#x)"',
    'style="fill:src(&quot;http://x.ir&quot;)"',
    'id="a&quot;&gt;&lt;script&gt;"',
    'q:href="javascript:x"',
    'class="a"',
    'tabindex="1"',
    'target="_blank"',
  ])('the attribute %s', (attribute) => {
    for (const name of ['use', 'g', 'path'])
      expect(clean(`${root}><${name} ${attribute}/></svg>`)).toBe(`${root}><${name}/></svg>`)
  })

  test('a link is a group, comments are dropped, and text cannot become an element', () => {
    expect(clean(`${root}><!-- <script/> --><a href="javascript:x"><path d="M0 0"/></a></svg>`)).toBe(
      `${root}><g><path d="M0 0"/></g></svg>`,
    )
    expect(clean(`${root}><text><a href="//x.ir">سلام</a></text></svg>`)).toBe(
      `${root}><text><tspan>سلام</tspan></text></svg>`,
    )
    expect(clean(`${root}><text><![CDATA[<script>x</script>]]>&#60;b></text></svg>`)).toBe(
      `${root}><text>&lt;script&gt;x&lt;/script&gt;&lt;b&gt;</text></svg>`,
    )
  })
})

describe('what is refused as a whole', () => {
  const elementsOf = (count: number): string => `${root}>${'<g/>'.repeat(count)}</svg>`
  test.each<[string, string, string | Uint8Array]>([
    ['a document type of a file', 'declaration', `<!DOCTYPE svg SYSTEM "file:///etc/passwd">${root}/>`],
    [
      'a document type with entities',
      'declaration',
      `${documentType.slice(0, -1)} [<!ENTITY a "b">]>${root}/>`,
    ],
    ['a document type with nothing inside', 'declaration', `<!DOCTYPE svg []>${root}/>`],
    ['a document type after the root', 'declaration', `${root}/>${documentType}`],
    ['two document types', 'declaration', `${documentType}${documentType}${root}/>`],
    ['an entity bomb', 'declaration', '<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>'],
    ['an unknown entity', 'syntax', `${root}><text>&nbsp;</text></svg>`],
    ['a processing instruction', 'declaration', `<?xml-stylesheet href="http://x.ir"?>${root}/>`],
    ['an unclosed element', 'syntax', `${root}><g>`],
    ['elements closed crosswise', 'syntax', `${root}><g><text></g></text></svg>`],
    ['an unclosed comment', 'syntax', `${root}><!-- `],
    ['a duplicate attribute', 'syntax', `${root}><g fill="a" fill="b"/></svg>`],
    ['an attribute without quotes', 'syntax', `${root}><g fill=red/></svg>`],
    ['two roots', 'syntax', `${root}/>${root}/>`],
    ['a root that is no SVG', 'syntax', '<html/>'],
    ['a root of another namespace', 'syntax', '<svg xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['nothing', 'syntax', ''],
    ['a NUL', 'encoding', `${root}><text>\0</text></svg>`],
    ['a NUL as a reference', 'syntax', `${root}><text>&#0;</text></svg>`],
    ['half a character as a reference', 'syntax', `${root}><text>&#xD800;</text></svg>`],
    ['invalid UTF-8', 'encoding', Buffer.concat([Buffer.from(`${root}>`), Buffer.of(0xc3, 0x28)])],
    ['UTF-16 with its mark', 'encoding', Buffer.from(`\ufeff${root}/>`, 'utf16le')],
    ['UTF-16 without', 'encoding', Buffer.from(`${root}/>`, 'utf16le')],
    ['two megabytes and one', 'size', Buffer.alloc(2 * 1024 * 1024 + 1, 'a')],
    ['a million elements', 'size', Buffer.from(elementsOf(1_000_000))],
    ['50,001 elements', 'size', elementsOf(50_000)],
    ['257 elements in each other', 'size', `${root}>${'<g>'.repeat(256)}${'</g>'.repeat(256)}</svg>`],
    ['one character a million times, nowhere', 'syntax', 'a'.repeat(1_000_000)],
    ['a million opened elements', 'syntax', '<'.repeat(1_000_000)],
    ['what uses itself', 'expansion', `${root}><g id="a"><use href="#a"/></g></svg>`],
    ['a pattern of itself', 'expansion', `${root}><pattern id="a"><g fill="url(#a)"/></pattern></svg>`],
  ])('%s', (_, fault, input) => {
    expect(faultOf(input)).toBe(fault)
  })

  const levels = (of: (inner: number) => string): string =>
    `${root}><g id="i0"/>${Array.from({ length: 12 }, (_, level) => of(level)).join('')}</svg>`
  test.each([
    ['use', (i: number) => `<g id="i${i + 1}">${`<use href="#i${i}"/>`.repeat(10)}</g>`],
    ['patterns', (i: number) => `<pattern id="i${i + 1}">${`<g fill="url(#i${i})"/>`.repeat(10)}</pattern>`],
    [
      'inherited patterns',
      (i: number) => `<pattern id="i${i + 1}"><g fill="url(#i${i})">${'<g/>'.repeat(10)}</g></pattern>`,
    ],
    [
      'masks of a style sheet',
      (i: number) =>
        `<style>.c${i}{mask:url(#i${i})}</style><g id="i${i + 1}">${`<g class="c${i}"/>`.repeat(10)}</g>`,
    ],
    [
      'markers',
      (i: number) =>
        `<marker id="i${i + 1}"><path marker-mid="url(#i${i})" d="${'L1 1'.repeat(10)}"/></marker>`,
    ],
  ])('a bomb of nested %s', (_, of) => {
    expect(faultOf(levels(of))).toBe('expansion')
  })
})

test.each([documentType, '<!DOCTYPE svg>', documentType.replaceAll('" "', '"\n"')])(
  'the document type that editors write is dropped: %s',
  (declared) => {
    expect(clean(`<?xml version="1.0"?>\n${declared}\n${root}><path d="M0 0"/></svg>`)).toBe(
      `${root}><path d="M0 0"/></svg>`,
    )
  },
)

describe('what a drawing is made of stays', () => {
  test('Persian text with its direction', () => {
    const text = `<text direction="rtl" unicode-bidi="embed" xml:lang="fa">سلام\u200cها &amp; \u200fدنیا<tspan x="1">!</tspan></text>`
    expect(clean(`${root} viewBox="0 0 9 9">${text}</svg>`)).toBe(`${root} viewBox="0 0 9 9">${text}</svg>`)
  })

  test('references into itself, also by xlink and by another prefix of SVG', () => {
    expect(
      clean(
        `<v:svg xmlns:v="http://www.w3.org/2000/svg" xmlns:l="http://www.w3.org/1999/xlink"><v:g id="ا"/><v:use l:href="#ا" fill="url('#b') red"/></v:svg>`,
      ),
    ).toBe(`${root}><g id="ا"/><use href="#ا" fill="url(#b) red"/></svg>`)
  })

  test('style sheets and styles as the attributes they stand for, by their weight', () => {
    expect(
      clean(
        `${root}><style>/* a */ g{opacity:.1;fill:blue} @media print{.a{fill:red}} .a , .b{fill : url(#x)} #q{stroke:red}</style><g id="q" class="a" opacity="1" style="stroke-width:2;mix-blend-mode:screen"/></svg>`,
      ),
    ).toBe(
      `${root}><g id="q" opacity=".1" fill="url(#x)" stroke="red" stroke-width="2" style="mix-blend-mode:screen"/></svg>`,
    )
  })

  test('an embedded picture, whose bytes say what it is', () => {
    expect(clean(`${root}><image width="1" href="data:IMAGE/jpeg;base64,${png}"/></svg>`)).toBe(
      `${root}><image width="1" href="data:image/png;base64,${png}"/></svg>`,
    )
  })
})

const name = fc.constantFrom(...elements, 'script', 'a', 'foreignObject', 'animate', 'style', 'x:y', 'iframe')
const key = fc.constantFrom(
  ...attributes,
  ...properties,
  'id',
  'href',
  'xlink:href',
  'style',
  'class',
  'onload',
)
const value = fc.oneof(
  fc.string(),
  fc.constantFrom('url(#a)', 'url(http://x.ir)', '#a', 'javascript:x', `data:image/png;base64,${png}`),
  fc.constantFrom('fill:url(#b);stroke:red', 'fill:url(//x.ir)', 'a', 'b', '@import "x"', 'x\ty\nz', 'ش'),
)
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '')
    .replaceAll(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`)
const { tree } = fc.letrec<{ tree: string; node: string }>((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, fc.string().map(escaped), tie('tree')),
  tree: fc
    .tuple(name, fc.dictionary(key, value, { maxKeys: 5 }), fc.array(tie('node'), { maxLength: 5 }))
    .map(([tag, given, children]) => {
      const written = Object.entries(given).map(([each, text]) => ` ${each}="${escaped(text)}"`)
      return `<${tag}${written.join('')}>${children.join('')}</${tag}>`
    }),
}))

test('any tree comes out with allowed names and inner references only, and cleaning again changes nothing', () => {
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 6 }), (children) => {
      let text: string
      try {
        text = clean(`${root}>${children.join('')}</svg>`)
      } catch (error) {
        if (error instanceof SvgError && error.fault === 'expansion') return
        throw error
      }
      expect(clean(text)).toBe(text)
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
      for (const element of parsed.querySelectorAll('*')) {
        expect(elements).toContain(element.tagName)
        for (const { name: key, value } of element.attributes) {
          if (key !== 'id' && key !== 'href' && key !== 'style' && key !== 'xmlns')
            expect(attributes.has(key) || properties.has(key), key).toBe(true)
          if (key === 'href') expect(value).toMatch(/^(?:#|data:image\/(?:png|jpeg|webp);base64,)/)
          else if (key !== 'id') expect(value).not.toMatch(/url\((?!#)/i)
        }
      }
    }),
    { numRuns: 300 },
  )
})
