import { expect, test } from 'vitest'
import { UpstreamError } from '#core/spec'
import { SseReader } from '#providers/kit'
import fc from '../harness/fast-check.ts'

function read(chunks: Uint8Array[], maxEventBytes?: number): [string, string][] {
  const events: [string, string][] = []
  const reader = new SseReader((data, event) => events.push([event, data]), maxEventBytes)
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return events
}

const bytes = (text: string) => new TextEncoder().encode(text)

function split(whole: Uint8Array, cuts: number[]): Uint8Array[] {
  const places = [
    0,
    ...cuts.map((cut) => cut % (whole.length + 1)).sort((left, right) => left - right),
    whole.length,
  ]
  return places.slice(1).map((end, position) => whole.slice(places[position], end))
}

/** The standard, read slowly and plainly: what every chunking is compared with. */
function plainly(text: string): [string, string][] {
  const events: [string, string][] = []
  let data: string[] = []
  let event = ''
  const dispatch = () => {
    if (data.length > 0) events.push([event || 'message', data.join('\n')])
    data = []
    event = ''
  }
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    if (line === '') dispatch()
    if (line === '' || line.startsWith(':')) continue
    const at = line.indexOf(':')
    const name = at === -1 ? line : line.slice(0, at)
    const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (name === 'data') data.push(value)
    if (name === 'event') event = value || event
  }
  dispatch()
  return events
}

const lines = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.constantFrom(
    'data',
    'data:',
    'data:x',
    'data:  two',
    ': comment',
    ':',
    'event: error',
    'event:',
    'id: 7',
    'retry: 5',
    'dates: no',
    'data: سلام دنیا 🌍',
  ),
  fc.constant(''),
)
const streams = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(lines, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 }))
  .map(([mark, parts]) => (mark ? '\uFEFF' : '') + parts.map(([line, end]) => line + end).join(''))

test('any split of the bytes reports the same events as reading the text whole', () => {
  fc.assert(
    fc.property(streams, fc.array(fc.nat(4_000), { maxLength: 40 }), (text, cuts) => {
      expect(read(split(bytes(text), cuts))).toEqual(plainly(text))
    }),
    { numRuns: 2_000 },
  )
})

test('a stream that comes byte by byte reports the same events', () => {
  const text = '\uFEFF: hi\r\ndata: گفت\r\ndata: 🌍\r\n\r\nevent: error\rdata: {"a":1}\r\rdata: last'
  const single = [...bytes(text)].map((byte) => Uint8Array.of(byte))
  expect(read(single)).toEqual([
    ['message', 'گفت\n🌍'],
    ['error', '{"a":1}'],
    ['message', 'last'],
  ])
})

test('an event that outgrows the bound is refused, in one line or in many', () => {
  const long = bytes(`data: ${'x'.repeat(2_000)}`)
  expect(() => read([long, long], 3_000)).toThrow(UpstreamError)
  const many = bytes('data: 0123456789\n'.repeat(300))
  expect(() => read([many], 3_000)).toThrow(UpstreamError)
  expect(read([bytes(`${'data: 0123456789\n\n'.repeat(300)}`)], 3_000)).toHaveLength(300)
})
