import {
  ignoredFields,
  payment,
  requireModel,
  requireNoOptions,
  setIgnoredFields,
  settleFailed,
  unknownFields,
} from '#core/calls'
import { type PaidSpeech, type SpeechSpec, startPaidSpeech } from '#media/speech'
import { asFailure, fail } from '#platform/errors'
import { type ContentAnswer, content, type RequestContext } from '#platform/http'
import type { AudioRoutesApp } from './app.ts'
import { reasons } from './phrases.ts'
import { SpeechBody } from './schema.ts'

/** The most bytes of one answer; the longest text in the largest format needs more and is refused. */
const maxBytes = 64 * 1024 * 1024

/** Streams speech as it comes. File and charge are durable before the last chunk; a caller who leaves pays and finds the file. */
export async function createSpeech(
  context: RequestContext<AudioRoutesApp, SpeechBody>,
): Promise<ContentAnswer> {
  const { app, body } = context
  const model = requireModel(context, body.model, 'audio')
  const paid = await startPaidSpeech(app.paid, {
    ...payment(context),
    model,
    spec: specOf(body),
    endpoint: '/v1/audio/speech',
  })
  setIgnoredFields(context, [...unknownFields(body, SpeechBody), ...ignoredFields(body)])
  const stored = store(paid)
  return content({ mediaType: paid.mediaType, open: () => streamUntilStored(paid, stored) })
}

function specOf(body: SpeechBody): SpeechSpec {
  if (body.stream_format === 'sse')
    fail('INVALID_REQUEST', { why: reasons.noEvents }, { param: 'stream_format' })
  requireNoOptions(body)
  const { input, voice, instructions, speed } = body
  return {
    lines: [
      {
        text: input.toWellFormed(),
        ...(voice != null && { voice: typeof voice === 'string' ? voice : voice.id }),
        ...(instructions != null && { instructions }),
      },
    ],
    format: body.response_format ?? 'mp3',
    ...(speed != null && { speed }),
    maxBytes,
    where: (setting) =>
      ({ text: 'input', turns: 'input', format: 'response_format', task: 'model' })[setting as 'text'] ??
      setting,
  }
}

/** Makes, stores and settles the sound, whether or not the caller still listens. */
async function store(paid: PaidSpeech): Promise<void> {
  try {
    await paid.spoken()
  } catch (error) {
    return settleFailed(paid, asFailure(error))
  }
  await paid.finish({ statusCode: 200 })
}

/** The sound as it comes; its last byte waits until the file is stored and charged. */
async function* streamUntilStored(paid: PaidSpeech, stored: Promise<void>): AsyncGenerator<Uint8Array> {
  // `stored` is awaited below, unless the listener leaves.
  stored.catch(() => undefined)
  let last: Uint8Array | undefined
  try {
    for await (const chunk of paid.chunks()) {
      const ready = last ? Buffer.concat([last, chunk]) : chunk
      if (ready.length > 1) yield ready.subarray(0, -1)
      last = ready.subarray(-1)
    }
  } catch {
    // The failure is thrown by `stored`.
  }
  await stored
  if (last) yield last
}
