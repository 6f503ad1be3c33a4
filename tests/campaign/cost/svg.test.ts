/** The cleaner of SVG: its time is linear in the drawing, whatever is repeated and wherever it stands. */
import { expect, test } from 'vitest'
import { cleanSvg, SvgError } from '#core/media'
import { withIsolates } from '../../../src/core/media/svg/right-to-left.ts'
import { costOf, expectLinear, units } from '../../cost/cost.ts'

const K = 1_024
/** Beside those of every reader, what opens and never ends in CSS, in values and in XML. */
const own = [
  'a{',
  '/*',
  'a;',
  'a:b;',
  '.a,',
  '@a{',
  'url(',
  'a(',
  '#a ',
  '&#1;',
  '&amp;',
  '<!--',
  '<g>',
  '<g/>',
  '<![CDATA[',
  'M0 0',
]

const places: Record<string, (run: string) => string> = {
  'a drawing': (run) => run,
  'its content': (run) => `<svg>${run}</svg>`,
  'a text': (run) => `<svg><text direction="rtl">${run}</text></svg>`,
  'a tag': (run) => `<svg><g ${run}/></svg>`,
  'a path': (run) => `<svg><path d="${run}"/></svg>`,
  'a style': (run) => `<svg><g style="${run}"/></svg>`,
  'a declaration': (run) => `<svg><g style="fill:${run}"/></svg>`,
  'a sheet': (run) => `<svg><style><![CDATA[${run}]]></style><g class="a"/></svg>`,
  classes: (run) => `<svg><style>.a{fill:red}</style><g class="${run}"/></svg>`,
  'a link': (run) => `<svg><image href="data:image/png;base64,${run}"/></svg>`,
  'a document type': (run) => `<!DOCTYPE svg ${run}`,
}

function clean(text: string): void {
  try {
    withIsolates(cleanSvg(Buffer.from(text)))
  } catch (error) {
    expect(error).toBeInstanceOf(SvgError)
  }
}

test.each(Object.entries(places))('%s of one short text repeated', { timeout: 600_000 }, async (_, place) => {
  for (const unit of [...units, ...own])
    await expectLinear(
      JSON.stringify(unit),
      (length) => {
        const text = place(unit.repeat(Math.floor(length / unit.length)))
        return costOf(() => clean(text))
      },
      { from: 8 * K, to: 128 * K },
    )
})

/** Elements that meet what others say: rules, classes and ids. */
test.each<[string, (count: number) => string]>([
  ['rules and elements', (count) => `<svg><style>${Array.from({ length: count }, (_, at) => `.c${at}{fill:red}`).join('')}</style>${Array.from({ length: count }, (_, at) => `<g class="c${at} c1 c2"/>`).join('')}</svg>`],
  ['one rule again and again', (count) => `<svg><style>${'*{fill:red}'.repeat(count)}</style>${'<g/>'.repeat(count)}</svg>`],
  ['ids and references', (count) => `<svg>${Array.from({ length: count }, (_, at) => `<g id="i${at}"><use href="#i${at + 1}"/></g>`).join('')}</svg>`],
  ['lines of one text', (count) => `<svg><text direction="rtl">${'<tspan x="1">ا</tspan>'.repeat(count)}</text></svg>`],
])('%s', { timeout: 600_000 }, async (name, of) => {
  await expectLinear(name, (count) => {
    const text = of(count)
    return costOf(() => clean(text))
  }, { from: 500, to: 16_000 })
}) // biome-ignore format: a table
