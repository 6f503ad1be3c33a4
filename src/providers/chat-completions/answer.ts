import { UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'
import { isRecord } from '#providers/kit'
import { ChunkReader } from './chunks.ts'

/** The parts of a non-streamed answer. Throws `UpstreamError` if the body is an error or not an answer of this wire. */
export function* readAnswer(
  body: unknown,
  secrets: readonly string[],
): Generator<AnswerPart, void, undefined> {
  const reader = new ChunkReader(secrets)
  const isAnswer =
    isRecord(body) && ((Array.isArray(body['choices']) && body['choices'].length > 0) || body['error'])
  if (!isAnswer) throw new UpstreamError('malformed', { detail: 'an answer without choices' })
  const parts: AnswerPart[] = []
  reader.read(body, 'message', parts)
  yield* parts
  reader.close()
  yield* reader.end()
}
