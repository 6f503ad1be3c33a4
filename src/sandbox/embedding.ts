/** Vectors without a model: counts of words, stems and three-letter sequences, each added to a dimension that its hash chooses. */
import { stopWords, wordsOf } from '#core/retrieval'
import { type EmbeddingCall, type EmbeddingProvider, type EmbeddingResult, UpstreamError } from '#core/spec'
import { Slice } from '#platform/slices'
import { sandboxDimensions } from './catalogue.ts'
import { type Directives, readDirectives } from './directives.ts'
import { raise } from './faults.ts'
import { Pacer, realClock } from './pace.ts'
import { loadTokenizer } from './tokens.ts'

const weights = { word: 1, part: 0.7, letters: 0.25, stopWord: 0.05 }

/**
 * Vectors, deterministic and offline: texts that are equal after normalisation have equal vectors everywhere. A vector of fewer dimensions has the
 * first ones, normalised again. The directives for faults and pace are those of the text models (`directives.ts`).
 */
export function sandboxEmbeddings(): EmbeddingProvider {
  return { embed }
}

async function embed({ order, upstreamModel, signal, timeouts }: EmbeddingCall): Promise<EmbeddingResult> {
  if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
  if (!/^(sandbox\/)?embedding(:|$)/.test(upstreamModel)) {
    const detail = `The sandbox has no embedding model "${upstreamModel}".`
    throw new UpstreamError('not_found', { status: 404, executed: false, param: 'model', detail })
  }
  const { dimensions = sandboxDimensions } = order
  if (dimensions > sandboxDimensions) {
    const detail = `The sandbox makes vectors of at most ${sandboxDimensions} dimensions.`
    throw new UpstreamError('invalid_request', { status: 400, executed: false, param: 'dimensions', detail })
  }
  const { texts, directives } = readTexts(order.texts)
  const pacerTimeouts = { ...timeouts, firstTokenMs: timeouts.totalMs }
  const pacer = new Pacer(directives, pacerTimeouts, { signal, clock: realClock, run: { paused: undefined } })
  const { fault, after = 0, on } = directives
  const hasFault = fault !== undefined && (on === undefined || on === upstreamModel)
  if (hasFault && after === 0) await raise(fault, directives, pacer)
  if (directives.refuse) {
    const detail = 'The sandbox was ordered to refuse.'
    throw new UpstreamError('content_refused', { status: 400, executed: false, detail })
  }
  await pacer.next()
  const embedded = await embedAll(texts, dimensions, signal)
  if (hasFault) await raise(fault, directives, pacer)
  if (directives.bytes) {
    const detail = 'The sandbox was ordered to answer what are no vectors.'
    throw new UpstreamError('malformed', { detail })
  }
  return directives.omit === 'usage' ? { vectors: embedded.vectors } : embedded
}

/** The texts without their directives, and the directives of all texts together. */
function readTexts(written: readonly string[]): { texts: string[]; directives: Directives } {
  const directives: Directives = {}
  const texts = written.map((one) => {
    const found = readDirectives(one)
    Object.assign(directives, found.directives)
    return found.text
  })
  return { texts, directives }
}

async function embedAll(
  texts: readonly string[],
  dimensions: number,
  signal: AbortSignal,
): Promise<EmbeddingResult> {
  const { count } = await loadTokenizer()
  const vectors: Float32Array[] = []
  let input = 0
  const slice = new Slice()
  for (const text of texts) {
    vectors.push(folded(vectorOf(text), dimensions))
    input += count(text)
    if (slice.isOver()) await slice.next()
    if (signal.aborted) throw new UpstreamError('aborted')
  }
  return { vectors, usage: { input } }
}

/** The first dimensions of a vector, normalised to length 1 again. */
const folded = (vector: Float32Array, dimensions: number): Float32Array =>
  dimensions === vector.length ? vector : unit(vector.slice(0, dimensions))

const unit = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(sandboxDimensions)
  // A small constant, so that the vector of a text without words can be normalised too.
  vector[0] = 1e-3
  for (const [feature, weight] of featuresOf(text)) {
    const hash = hashOf(feature)
    vector[(hash >>> 1) % sandboxDimensions]! += hash & 1 ? weight : -weight
  }
  return unit(vector)
}

/** The weighted features of a text; a repeated word weighs somewhat more than a single one. */
function featuresOf(text: string): Map<string, number> {
  const features = new Map<string, { weight: number; count: number }>()
  const add = (feature: string, weight: number): void => {
    const known = features.get(feature)
    if (known) known.count += 1
    else features.set(feature, { weight, count: 1 })
  }
  for (const { forms, parts } of wordsOf(text)) {
    const share = forms.some((term) => stopWords.has(term)) ? weights.stopWord : 1
    for (const term of forms) add(term, weights.word * share)
    for (const term of parts.flat()) if (!forms.includes(term)) add(term, weights.part * share)
    const framed = `^${forms[0]}$`
    for (let at = 0; at + 3 <= framed.length; at++)
      add(`3:${framed.slice(at, at + 3)}`, weights.letters * share)
  }
  return new Map([...features].map(([feature, { weight, count }]) => [feature, weight * Math.sqrt(count)]))
}

/** FNV-1a over the code units, then mixed (the last step of murmur3), since only the low bits choose the dimension. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
