/** Reads the vectors of an answer. Both encodings are read, whichever was requested: some servers know only one. */

import { type EmbeddingOrder, type EmbeddingResult, maxDimensions, UpstreamError } from '#core/spec'
import { fromLittleEndian } from '#platform/bytes'
import { Slice } from '#platform/slices'
import { claimedCount, faultOfError, isRecord } from '#providers/kit'

/**
 * The vectors of an answer. Throws `UpstreamError`, always with `executed: true`: the upstream has done the work. Half a million numbers are read in
 * slices.
 */
export async function readEmbeddings(
  answer: unknown,
  order: EmbeddingOrder,
  secrets: readonly string[],
): Promise<EmbeddingResult> {
  if (!isRecord(answer)) throw malformed('an answer that is no object')
  if (answer['error'] != null) throw faultOfError(answer['error'], secrets)
  const items = Array.isArray(answer['data']) ? answer['data'] : []
  const { texts } = order
  if (items.length !== texts.length) throw malformed(`${items.length} vectors for ${texts.length} texts`)
  const slice = new Slice()
  const vectors: Float32Array[] = []
  for (const item of inPlace(items)) {
    vectors.push(vectorOf(item))
    if (slice.isOver()) await slice.next()
  }
  const wanted = order.dimensions ?? vectors[0]!.length
  const other = vectors.find(({ length }) => length !== wanted)
  if (other) throw malformed(`a vector of ${other.length} dimensions instead of ${wanted}`)
  const input = tokensOf(answer['usage'])
  return { vectors, ...(input !== undefined && { usage: { input } }) }
}

/** The items sorted by `index`, each of which has to occur once; in the order of the list if the server sends no index. */
function inPlace(items: unknown[]): unknown[] {
  if (!items.some((item) => isRecord(item) && item['index'] !== undefined)) return items
  const placed = new Map(items.map((item) => [isRecord(item) ? item['index'] : undefined, item]))
  return items.map((_, index) => placed.get(index) ?? fault(`no vector for text ${index}`))
}

function vectorOf(item: unknown): Float32Array {
  const raw = isRecord(item) ? item['embedding'] : undefined
  const vector = typeof raw === 'string' ? fromBase64(raw) : Array.isArray(raw) ? fromNumbers(raw) : undefined
  if (!vector || vector.length === 0) return fault('an item without a vector')
  if (vector.length > maxDimensions) return fault(`a vector of more than ${maxDimensions} dimensions`)
  return unit(vector)
}

/** Reads little-endian 32-bit floats. The decoder skips what is not Base64, which is then missing in the length. */
function fromBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  if (bytes.length % 4 !== 0 || bytes.length !== (text.length / 4) * 3 - padding) return undefined
  return fromLittleEndian(bytes)
}

const fromNumbers = (numbers: unknown[]): Float32Array | undefined =>
  numbers.every((number) => typeof number === 'number') ? Float32Array.from(numbers) : undefined

/** The vector normalised to length 1, so that the dot product of two is their cosine similarity. */
function unit(vector: Float32Array): Float32Array {
  let squares = 0
  for (let at = 0; at < vector.length; at++) squares += vector[at]! ** 2
  const length = Math.sqrt(squares)
  if (!(length > 0 && Number.isFinite(length))) return fault('a vector without direction')
  for (let at = 0; at < vector.length; at++) vector[at]! /= length
  return vector
}

/** The tokens of the prompt. Some servers report only `total_tokens`, and zero or nothing for the prompt. */
function tokensOf(usage: unknown): number | undefined {
  if (!isRecord(usage)) return undefined
  const [prompt, total] = [claimedCount(usage['prompt_tokens']), claimedCount(usage['total_tokens'])]
  return prompt || (total ?? prompt)
}

const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })
const fault = (detail: string): never => {
  throw malformed(detail)
}
