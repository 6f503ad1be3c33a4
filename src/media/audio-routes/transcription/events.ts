/**
 * Streams a transcript in the events that OpenAI's clients read: deltas, segments where speakers are told apart, and the whole transcript at the end.
 */
import { settleStored } from '#core/calls'
import type { PaidTranscription } from '#media/transcription'
import { errorBody } from '#platform/errors'
import type { EventWriter, RequestContext } from '#platform/http'
import type { AudioRoutesApp } from '../app.ts'
import { diarizedSegment, type ReplyContext, usageOf } from './reply.ts'

export async function sendTranscript(
  context: RequestContext<Pick<AudioRoutesApp, 'log'>>,
  paid: PaidTranscription,
  answeredOf: () => ReplyContext,
  out: EventWriter,
): Promise<void> {
  const send = (event: { type: string }) => out.send(JSON.stringify(event), event.type)
  const showing = showParts(paid, answeredOf().wish.format === 'diarized_json', send)
  const { done, failure } = await settleStored(context, paid, () => paid.transcript())
  await showing
  if (failure) {
    const { error } = errorBody(failure, context.requestId, context.language)
    return out.send(JSON.stringify({ type: 'error', error }), 'error')
  }
  await send({
    type: 'transcript.text.done',
    text: done.text,
    usage: usageOf(answeredOf(), done),
  } as { type: string })
}

/** Sends the parts as events. The transcription does not wait for this, so a caller who reads slowly does not slow it down. */
async function showParts(
  paid: PaidTranscription,
  isDiarized: boolean,
  send: (event: { type: string }) => unknown,
): Promise<void> {
  let segments = 0
  try {
    for await (const part of paid.parts()) {
      if (part.kind === 'text')
        void send({ type: 'transcript.text.delta', delta: part.text } as { type: string })
      else if (isDiarized) void send(diarizedSegment(part.segment, segments++))
    }
  } catch {
    // The failure is thrown by the transcript.
  }
}
