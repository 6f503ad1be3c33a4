/** Streams speech in the events that OpenAI's clients read: pieces of the sound, and at the end what they cost. */
import { costOf, settleStored } from '#core/calls'
import { encodeBase64 } from '#core/media'
import type { PaidSpeech } from '#media/speech'
import { errorBody } from '#platform/errors'
import type { EventWriter, RequestContext } from '#platform/http'
import type { AudioRoutesApp } from './app.ts'

export async function sendSpeech(
  context: RequestContext<Pick<AudioRoutesApp, 'log'>>,
  paid: PaidSpeech,
  out: EventWriter,
): Promise<void> {
  const sending = sendPieces(paid, out)
  const { done, failure } = await settleStored(context, paid, () => paid.spoken())
  await sending
  if (failure) {
    const { error } = errorBody(failure, context.requestId, context.language)
    return out.send(JSON.stringify({ type: 'error', error }), 'error')
  }
  const { tokens, microcredits, file } = done
  const usage = {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    ...costOf(microcredits),
  }
  const type = 'speech.audio.done'
  await out.send(JSON.stringify({ type, file_id: file, usage }), type)
}

/** Sends the pieces at the pace of the reader; the sound is made and stored at its own. */
async function sendPieces(paid: PaidSpeech, out: EventWriter): Promise<void> {
  const type = 'speech.audio.delta'
  try {
    for await (const piece of paid.chunks()) {
      if (out.gone.aborted) return
      await out.send(JSON.stringify({ type, audio: encodeBase64(piece) }), type)
    }
  } catch {
    // The failure is thrown by the sound itself.
  }
}
