/** Writes the vectors of an answer as JSON: a small answer at once, a large one while it is sent, since 2,048 vectors are up to 180 MB of JSON. */
import { Readable } from 'node:stream'
import { costOf } from '#core/calls'
import type { Vectors } from '#core/embeddings'
import { encodeBase64 } from '#core/media'
import { littleEndian } from '#platform/bytes'
import { type ContentAnswer, content } from '#platform/http'
import { replayLimitBytes } from '#platform/idempotency'
import { Slice } from '#platform/slices'

/** The JSON text of an answer below 1 MB, which can be stored for a replay; for a larger answer, content that is written while it is sent. */
export async function embeddingsJson(
  model: string,
  vectors: Vectors,
  encoding: 'float' | 'base64',
): Promise<{ text: string } | { content: ContentAnswer }> {
  const slice = new Slice()
  const pieces: string[] = []
  let length = 0
  for (const piece of piecesOf(model, vectors, encoding)) {
    pieces.push(piece)
    length += piece.length
    // The JSON is written again while it is sent; until then only the vectors themselves are in memory.
    if (length >= replayLimitBytes) return { content: contentOf(() => piecesOf(model, vectors, encoding)) }
    if (slice.isOver()) await slice.next()
  }
  return { text: pieces.join('') }
}

const contentOf = (pieces: () => Iterable<string>): ContentAnswer =>
  content({
    mediaType: 'application/json',
    json: () => [...pieces()].join(''),
    open: () => Readable.from(inSlices(pieces())),
  })

/** Characters of one chunk, about as many as are sent in one write. */
const chunkCharacters = 64 * 1024

async function* inSlices(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  const slice = new Slice()
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkCharacters) continue
    yield Buffer.from(chunk)
    chunk = ''
    if (slice.isOver()) await slice.next()
  }
  yield Buffer.from(chunk)
}

function* piecesOf(
  model: string,
  { vectors, tokens, microcredits }: Vectors,
  encoding: 'float' | 'base64',
): Generator<string> {
  yield '{"object":"list","data":['
  for (const [index, vector] of vectors.entries()) {
    const embedding = encoding === 'base64' ? `"${encodeBase64(littleEndian(vector))}"` : `[${vector.join()}]`
    yield `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${embedding}}`
  }
  const usage = { prompt_tokens: tokens, total_tokens: tokens, ...costOf(microcredits) }
  yield `],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`
}
