/** Every parser of untrusted text, in isolation: its time is linear in the text, whatever is repeated in it. */
import { describe, expect, test } from 'vitest'
import { iteratePassages, normalise, passagesOf, readQuery } from '#core/retrieval'
import { cleanText } from '#core/tools'
import { maskSecrets, SseReader } from '#providers/kit'
import { documentFromMarkdown, type TextDocument, toMarkdown } from '#work/documents'
import { Citations } from '../../../src/core/inference/citations.ts'
import { decodeText } from '../../../src/core/tools/decode-text.ts'
import { excerpt } from '../../../src/core/tools/excerpt.ts'
import { pruneHtml } from '../../../src/core/tools/prune-html.ts'
import { faultOfStatus } from '../../../src/providers/kit/fault.ts'
import { cleanSvg } from '../../../src/work/documents/chart/clean-svg.ts'
import { codeForPrint, forPrint } from '../../../src/work/documents/pdf/glyphs.ts'
import { addressesIn } from '../../../src/work/pipelines/addresses.ts'
import { parsePart } from '../../../src/work/pipelines/blocks.ts'
import { contentOf, markdownOf } from '../../../src/work/pipelines/code/answer.ts'
import { singleLine, truncatedText } from '../../../src/work/pipelines/cut.ts'
import { readJson } from '../../../src/work/pipelines/json.ts'
import { persianText } from '../../../src/work/pipelines/persian.ts'
import {
  containsQuote,
  folded,
  numbersOf,
  relevantPassages,
} from '../../../src/work/pipelines/research/evidence.ts'
import { piecesOf } from '../../../src/work/pipelines/research/sentences.ts'
import { costOf, expectLinear, framed, maxTurnMs, units } from '../../cost/cost.ts'

const documentOf = (markdown: string): TextDocument => documentFromMarkdown(markdown, { language: 'fa' })

function cite(text: string): void {
  const citations = new Citations()
  citations.addSources([{ url: 'https://a.test/b', title: 'a', text: 'b', cut: false }], true)
  for (let at = 0; at < text.length; at += 16) citations.add(text.slice(at, at + 16))
  citations.end()
}

function readEvents(text: string): void {
  const reader = new SseReader(() => undefined)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 1_000) reader.push(bytes.subarray(at, at + 1_000))
  reader.end()
}

const K = 1_000
/** What reads, and the most characters that it is given here: of its own bound, or enough to see how it grows. */
const readers: Record<string, [max: number, read: (text: string) => unknown]> = {
  'passages of knowledge': [256 * K, passagesOf],
  'one spelling': [256 * K, normalise],
  'a search': [2 * K, readQuery],
  'a plain page': [256 * K, cleanText],
  'the charset of a page': [256 * K, (text) => decodeText(Buffer.from(text), 'text/html')],
  'a page of HTML': [256 * K, pruneHtml],
  'an error page of an upstream': [64 * K, (text) => faultOfStatus(500, {}, text, ['a secret of ours'])],
  'an error message of an upstream': [
    64 * K,
    (text) => faultOfStatus(500, {}, JSON.stringify({ error: { message: text } }), []),
  ],
  'secrets in a message': [64 * K, (text) => maskSecrets(text, ['a secret of ours'])],
  'events of an upstream': [256 * K, readEvents],
  'citations in a streamed answer': [64 * K, cite],
  'Markdown of an answer': [64 * K, documentOf],
  'Markdown, written again': [64 * K, (text) => toMarkdown(documentOf(text))],
  'a section of a report': [
    64 * K,
    (text) => parsePart({ id: 'a', title: 'a', markdown: text, language: 'fa' }),
  ],
  'sentences of a draft': [64 * K, piecesOf],
  'a source that is quoted': [128 * K, (text) => containsQuote(folded(text), text.slice(0, K))],
  'numbers of a source': [128 * K, numbersOf],
  'passages of a source': [128 * K, (text) => relevantPassages(text, 'a b', 24 * K)],
  'addresses of a task': [12 * K, addressesIn],
  'Persian of an answer': [64 * K, persianText],
  'JSON of an answer': [256 * K, readJson],
  'JSON of an answer that is cut': [256 * K, (text) => readJson(`{"a":${text}`)],
  'code of an answer': [128 * K, contentOf],
  'a file of Markdown': [128 * K, markdownOf],
  'an excerpt': [256 * K, (text) => excerpt(text, 96 * K)],
  'a head': [256 * K, (text) => truncatedText(text, 96 * K)],
  'a line': [64 * K, (text) => singleLine(text, K)],
  'a drawing': [64 * K, cleanSvg],
  'text for print': [64 * K, forPrint],
  'code for print': [64 * K, codeForPrint],
}

describe.each(Object.entries(readers))('%s', (_name, [max, read]) => {
  test('of one short text repeated costs at most three times as much at twice the length', {
    timeout: 600_000,
  }, async () => {
    for (const unit of units)
      for (const place of framed(unit, max).keys())
        await expectLinear(
          JSON.stringify(unit),
          (length) => {
            const text = framed(unit, length)[place]!
            return costOf(() => read(text))
          },
          { from: Math.max(250, Math.floor(max / 64)), to: max },
        )
  })
})

test('two million characters of knowledge are cut in slices, none of which holds the event loop', {
  timeout: 600_000,
}, () => {
  for (const unit of [' ', '\n', 'a\n', '1. ', '# a\n', 'a\n\n', 'ا ', '7', '. ', '```\n']) {
    const text = `a${unit.repeat(2_000_000 / unit.length)}b`
    const longest = () => {
      const passages = iteratePassages(text)
      let max = 0
      for (let isOver = false; !isOver; )
        max = Math.max(
          max,
          costOf(() => {
            isOver = passages.next().done === true
          }),
        )
      return max
    }
    // The least of three, since collecting garbage falls into one step or another.
    expect(Math.min(longest(), longest(), longest()), JSON.stringify(unit)).toBeLessThan(maxTurnMs)
  }
})
