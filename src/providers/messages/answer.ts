import { UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'
import { exactly } from '#platform/json'
import { faultOfError, isRecord } from '#providers/kit'
import { EventReader, type ReaderOptions } from './events.ts'
import { markedAnswer } from './marks.ts'

/** The parts of a non-streamed answer. Throws `UpstreamError` if the body is an error or not an answer of this wire. */
export function* readAnswer(
  received: unknown,
  options: ReaderOptions,
): Generator<AnswerPart, void, undefined> {
  if (isRecord(received) && received['error']) throw faultOfError(received, options.secrets)
  if (!isRecord(received) || !Array.isArray(received['content']))
    throw new UpstreamError('malformed', { detail: 'an answer without content' })
  const body = markedAnswer(received, options.mark)
  const reader = new EventReader(options)
  const parts: AnswerPart[] = []
  reader.start(body, parts)
  parts[0]!.extra = { wire: 'messages', body: markedAnswer(exactly(received), options.mark) }
  for (const [index, block] of (body['content'] as unknown[]).entries()) {
    reader.content.start(index, block, parts)
    reader.content.stop(index, parts)
  }
  reader.finish(body, body['usage'], parts)
  yield* parts
  yield* reader.end()
}
