/** Sends a recording in one form where the server takes it so, else stores it first and names it by its id. A repeat gets the stored transcript. */
import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { SpokenSegment, SpokenWord } from '#core/turn'
import { cuesOf, srtOf, vttOf } from '#media/subtitles'
import { refuse, type Session } from '../../command.ts'
import { phrases } from '../../phrases.ts'
import { readBytes, readJson, request, type Server, ServerRefused } from '../../server.ts'
import { transcribePhrases as words } from './phrases.ts'

export type Format = 'srt' | 'vtt' | 'txt' | 'json'
export const formats: readonly Format[] = ['srt', 'vtt', 'txt', 'json']

export interface Recording {
  place: string
  /** The size of the file, as `sizeOf` returns it. */
  bytes: number
  format: Format
  /** Parameters of the API: language, model, prompt, keywords, diarize. */
  settings: Readonly<Record<string, string | boolean | readonly string[]>>
  key: string
}

export interface TranscriptReply {
  bytes: Uint8Array
  requestId: string | undefined
  microcredits: bigint | undefined
  files: readonly string[]
  isRepeated: boolean
}

/** The default bounds of servers on one form, and on a stored recording. */
const maxFormBytes = 25 * 1024 * 1024
const maxStoredBytes = 200 * 1024 * 1024
/** The size of the answer for four hours with the time of every word. */
const maxAnswerBytes = 64 * 1024 * 1024
const transcriptions = '/v1/audio/transcriptions'

export async function sendRecording(
  session: Session,
  server: Server,
  recording: Recording,
  until: AbortSignal,
): Promise<TranscriptReply> {
  try {
    const isSmall = recording.bytes <= maxFormBytes
    return isSmall
      ? await sendAsForm(server, recording, until).catch((error: unknown) => {
          if (error instanceof ServerRefused && error.code === 'BODY_TOO_LARGE')
            return sendStoredFile(session, server, recording, until)
          throw error
        })
      : await sendStoredFile(session, server, recording, until)
  } catch (error) {
    return await fetchStoredTranscript(server, error, recording, until)
  }
}

/** The size of the file, read before anything is ordered. Throws FILE_NOT_READ and FILE_TOO_LARGE. */
export async function sizeOf(place: string): Promise<number> {
  const found = await stat(place).catch((error: Error) =>
    refuse('FILE_NOT_READ', phrases.fileNotRead(place, error.message)),
  )
  if (!found.isFile()) refuse('FILE_NOT_READ', words.noFile(place))
  if (found.size === 0) refuse('FILE_NOT_READ', words.emptyFile(place))
  if (found.size > maxStoredBytes) refuse('FILE_TOO_LARGE', words.fileTooLarge(place, maxStoredBytes))
  return found.size
}

/** The format's name in the API; `json` is the answer with segments. */
const responseFormat = (format: Format): string | undefined =>
  format === 'json' ? undefined : format === 'txt' ? 'text' : format

async function sendAsForm(
  server: Server,
  recording: Recording,
  until: AbortSignal,
): Promise<TranscriptReply> {
  const { place, format, settings, key } = recording
  const form = new FormData()
  for (const [name, value] of Object.entries(settings))
    for (const one of [value].flat()) form.append(Array.isArray(value) ? `${name}[]` : name, String(one))
  form.append('response_format', responseFormat(format) ?? 'verbose_json')
  form.append('normalize', 'true')
  form.append('file', await openAsBlob(place), path.basename(place))
  return request(
    server,
    'POST',
    transcriptions,
    { form, headers: { 'idempotency-key': key }, until },
    answerOf,
  )
}

async function sendStoredFile(
  session: Session,
  server: Server,
  { place, format, settings, key }: Recording,
  until: AbortSignal,
): Promise<TranscriptReply> {
  session.status(words.uploading()[session.language])
  const form = new FormData()
  form.append('file', await openAsBlob(place), path.basename(place))
  // The key is the same for every repeat, and differs from that of the transcript.
  const uploadKey = createHash('sha256').update(`upload ${key}`).digest('hex')
  const fileId = await request(
    server,
    'POST',
    '/v1/files',
    { form, headers: { 'idempotency-key': uploadKey }, until },
    async (reply) => {
      const { id } = (readJson((await readBytes(reply, maxAnswerBytes)).toString()) ?? {}) as { id?: unknown }
      return typeof id === 'string' ? id : refuse('NOT_KHERAD', words.badAnswer())
    },
  )
  const body = { file_id: fileId, ...settings, response_format: responseFormat(format) }
  return request(
    server,
    'POST',
    transcriptions,
    { body, headers: { 'idempotency-key': key }, until },
    answerOf,
  )
}

async function answerOf(reply: Response): Promise<TranscriptReply> {
  const microcredits = reply.headers.get('x-microcredits')
  return {
    bytes: await readBytes(reply, maxAnswerBytes),
    requestId: reply.headers.get('x-request-id') ?? undefined,
    microcredits: microcredits !== null && /^\d{1,30}$/.test(microcredits) ? BigInt(microcredits) : undefined,
    files: reply.headers.get('x-file-ids')?.split(', ') ?? [],
    isRepeated: reply.headers.get('idempotent-replayed') === 'true',
  }
}

/** Fetches an earlier transcript, which is a stored file; subtitles are written from it here. */
async function fetchStoredTranscript(
  server: Server,
  error: unknown,
  { format }: Recording,
  until: AbortSignal,
): Promise<TranscriptReply> {
  const { files = [], more } = error instanceof ServerRefused ? error : {}
  const [file] = files
  if (file === undefined) throw error
  const stored = await request(server, 'GET', `/v1/files/${encodeURIComponent(file)}`, { until }, (reply) =>
    readBytes(reply, maxAnswerBytes),
  )
  return {
    bytes: await formatTranscript(format, stored),
    requestId: more?.['receipt_id'] as string | undefined,
    microcredits: undefined,
    files,
    isRepeated: true,
  }
}

interface StoredTranscript {
  text: string
  language: string | null
  duration: number
  segments: SpokenSegment[]
  words?: SpokenWord[]
}

async function formatTranscript(format: Format, stored: Buffer): Promise<Uint8Array> {
  if (format === 'json') return stored
  const transcript = readJson(stored.toString()) as StoredTranscript | undefined
  if (typeof transcript?.text !== 'string' || !Array.isArray(transcript.segments))
    return refuse('NOT_KHERAD', words.badAnswer())
  if (format === 'txt') return Buffer.from(`${transcript.text}\n`)
  const { segments, words: spoken, duration, language } = transcript
  const cues = await cuesOf({ segments, words: spoken, seconds: duration })
  const options = { language: language ?? undefined }
  return Buffer.from(await (format === 'srt' ? srtOf(cues, options) : vttOf(cues, options)))
}
