import {
  ignoredFields,
  payment,
  requireModel,
  requireNoOptions,
  setCostHeaders,
  setFileHeaders,
  setIgnoredFields,
  settleFailed,
  unknownFields,
} from '#core/calls'
import { type PaidSpeech, type SpeechSpec, type StoredSpeech, startPaidSpeech } from '#media/speech'
import { asFailure } from '#platform/errors'
import {
  type ContentAnswer,
  content,
  type EventStream,
  eventStream,
  type RequestContext,
} from '#platform/http'
import type { AudioRoutesApp } from './app.ts'
import { SpeechBody } from './schema.ts'
import { sendSpeech } from './speech-events.ts'

/** The most bytes of one answer; the longest text in the largest format needs more and is refused. */
const maxBytes = 64 * 1024 * 1024

/**
 * Speech as it comes, in bytes or in events. File and charge are durable before the last of it; a caller who leaves pays and finds the file. A WAV is
 * sent once it is whole, because its length stands before its samples.
 */
export async function createSpeech(
  context: RequestContext<AudioRoutesApp, SpeechBody>,
): Promise<ContentAnswer | EventStream> {
  const { app, body } = context
  const model = requireModel(context, body.model, 'audio')
  const paid = await startPaidSpeech(app.paid, {
    ...payment(context),
    model,
    spec: specOf(body),
    endpoint: '/v1/audio/speech',
  })
  setIgnoredFields(context, [...unknownFields(body, SpeechBody), ...ignoredFields(body)])
  if (body.stream_format === 'sse') return eventStream((out) => sendSpeech(context, paid, out))
  const stored = store(paid)
  if (body.response_format === 'wav' && body.stream_format !== 'audio')
    return wholeAnswer(context, paid, await stored)
  return content({ mediaType: paid.mediaType, open: () => streamUntilStored(paid, stored) })
}

function specOf(body: SpeechBody): SpeechSpec {
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

interface SettledSpeech extends StoredSpeech {
  chargedMicrocredits: bigint
}

/** Makes, stores and settles the sound, whether or not the caller still listens. */
async function store(paid: PaidSpeech): Promise<SettledSpeech> {
  let spoken: StoredSpeech
  try {
    spoken = await paid.spoken()
  } catch (error) {
    return settleFailed(paid, asFailure(error))
  }
  const { chargedMicrocredits } = await paid.finish({ statusCode: 200 })
  return { ...spoken, chargedMicrocredits }
}

function wholeAnswer(
  context: Pick<RequestContext<unknown>, 'setHeader'>,
  { mediaType }: PaidSpeech,
  { bytes, file, chargedMicrocredits }: SettledSpeech,
): ContentAnswer {
  setCostHeaders(context, chargedMicrocredits)
  setFileHeaders(context, [file])
  return content({ mediaType, bytes: bytes.length, open: () => bytes })
}

/** The sound as it comes; its last byte waits until the file is stored and charged. */
async function* streamUntilStored(
  paid: PaidSpeech,
  stored: Promise<SettledSpeech>,
): AsyncGenerator<Uint8Array> {
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
