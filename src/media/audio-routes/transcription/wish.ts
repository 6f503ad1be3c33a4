/** The transcription that a caller requests, read from any of the three bodies. */
import type { TObject } from 'typebox'
import { ignoredFields, requireNoOptions, unknownFields } from '#core/calls'
import type { TranscriptionModel } from '#core/models'
import type { Timestamps } from '#core/turn'
import { namedLanguage, type TranscriptionSetting, type TranscriptionSpec } from '#media/transcription'
import { fail } from '#platform/errors'
import { reasons } from './phrases.ts'
import { type ResponseFormat, TranscriptionBody } from './schema.ts'
import type { TranscriptionContext } from './source.ts'
import type { RecordingTask } from './task.ts'

/** The three bodies: the contract's JSON, OpenAI's form, and OpenRouter's JSON. */
export type Wire = 'contract' | 'openai' | 'openrouter'

export interface TranscriptionRequest {
  wire: Wire
  spec: TranscriptionSpec
  /** `contract` is the answer of the contract's JSON, where the request names no format. */
  format: ResponseFormat | 'contract'
  /** Whether the answer has the times of words. */
  hasWords: boolean
  stream: boolean
  /** Fields that have no effect, for `X-Ignored-Fields`. */
  ignored: string[]
}

type TranscriptionFields = Omit<TranscriptionBody, 'audioBase64' | 'mediaType' | 'input_audio'>

/**
 * Reads the request. Throws INVALID_REQUEST for contradictory fields; what the model cannot do is refused by its plan. `param` names the recording.
 */
export function readTranscriptionRequest(
  context: TranscriptionContext,
  { translates, form }: RecordingTask,
  model: TranscriptionModel,
  param: string,
): TranscriptionRequest {
  const { body, upload } = context
  const sent: TranscriptionFields = upload ? upload.fields : body
  const schema = upload ? form : TranscriptionBody
  const fields = knownFields(sent, schema)
  const wire: Wire = upload ? 'openai' : body.input_audio ? 'openrouter' : 'contract'
  requireNoOptions(fields)
  const format = fields.response_format ?? (wire === 'contract' ? 'contract' : 'json')
  const stream = fields.stream === true
  if (stream && isPlain(format))
    fail('INVALID_REQUEST', { why: reasons.noEvents(format) }, { param: 'stream' })
  requireFormat(context, model, format)
  const hasWords = !stream && hasTimes(format) && fields.timestamp_granularities?.includes('word') === true
  return {
    ...{ wire, format, hasWords, stream },
    spec: {
      ...(translates && { translate: true }),
      ...settingsOf(fields, format),
      // Events have no times but those of speakers.
      timestamps: stream && format !== 'diarized_json' ? 'none' : timestampsOf(model, format, hasWords),
      ...(stream && model.transcription.streams && { stream }),
      normalize: fields.normalize ?? wire === 'contract',
      where: paramResolver(fields, param),
    },
    ignored: [...unknownFields(sent, schema), ...withoutEffect(fields, format)],
  }
}

/** Those that the task has: the others are texts that nothing checked. */
const knownFields = (fields: TranscriptionFields, { properties }: TObject): TranscriptionFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name in properties)) as TranscriptionFields

type Format = TranscriptionRequest['format']

/** Throws INVALID_REQUEST for a format for which the model lacks speakers or times, with the names of the models that have them. */
function requireFormat(
  { app, caller }: TranscriptionContext,
  model: TranscriptionModel,
  format: Format,
): void {
  const able = format === 'diarized_json' ? diarizes : isSubtitles(format) ? hasTimestamps : undefined
  if (!able || able(model)) return
  const others = app.models
    .list()
    .flatMap((one) =>
      one.kind === 'transcription' && able(one) && caller.models?.has(one.id) !== false ? one.id : [],
    )
  fail(
    'INVALID_REQUEST',
    { why: reasons.unableFormat(model.id, format, others) },
    { param: 'response_format' },
  )
}

const diarizes = ({ transcription }: TranscriptionModel): boolean => transcription.diarizes
const hasTimestamps = ({ transcription }: TranscriptionModel): boolean => transcription.timestamps !== 'none'
const isSubtitles = (format: Format): boolean => format === 'srt' || format === 'vtt'

/** Whether the format is not JSON. */
export const isPlain = (format: Format): format is 'text' | 'srt' | 'vtt' =>
  format === 'text' || format === 'srt' || format === 'vtt'

/** Whether the format lists segments and words. */
const hasTimes = (format: Format): boolean => format === 'verbose_json' || format === 'contract'

/** Whether the format can name speakers. */
const canNameSpeakers = (format: Format): boolean => format !== 'json' && format !== 'text'

function settingsOf(
  fields: TranscriptionFields,
  format: Format,
): Omit<TranscriptionSpec, 'timestamps' | 'where'> {
  const { prompt, temperature, speakers, keywords } = fields
  const language = namedLanguage(fields.language) ?? onlyLanguageOf(fields)
  const isDiarized = format === 'diarized_json' || (fields.diarize === true && canNameSpeakers(format))
  return {
    ...(language !== undefined && { language }),
    ...(prompt && { prompt: prompt.toWellFormed() }),
    ...(keywords?.length && { keywords: keywords.map((one) => one.toWellFormed()) }),
    ...(temperature != null && { temperature }),
    ...(isDiarized && { diarize: true }),
    ...(speakers != null && { speakers }),
  }
}

/** The languages that may be spoken, without those members that name none. */
const languagesOf = ({ languages }: TranscriptionFields): string[] =>
  (languages ?? []).flatMap((one) => namedLanguage(one) ?? [])

function onlyLanguageOf(fields: TranscriptionFields): string | undefined {
  const [only, another] = languagesOf(fields)
  return another === undefined ? only : undefined
}

/** The precision of times to request. Subtitles are cut at words where the model gives their times. */
function timestampsOf(
  { transcription: { timestamps: best } }: TranscriptionModel,
  format: Format,
  hasWords: boolean,
): Timestamps {
  if (hasWords) return 'word'
  if (isSubtitles(format)) return best
  if (format === 'json' || format === 'text' || best === 'none') return 'none'
  return 'segment'
}

/** The field that holds the refused setting. */
const paramResolver =
  (fields: TranscriptionFields, file: string) =>
  (setting: TranscriptionSetting): string => {
    if (setting === 'file') return file
    if (setting === 'timestamps') return 'timestamp_granularities'
    if (setting === 'language' && namedLanguage(fields.language) === undefined)
      return `languages.${fields.languages?.findIndex((one) => namedLanguage(one) !== undefined) ?? 0}`
    return setting
  }

function withoutEffect(fields: TranscriptionFields, format: Format): string[] {
  const { include, known_speaker_names: names, timestamp_granularities: granularities } = fields
  const languages = languagesOf(fields)
  return [
    ...ignoredFields(fields),
    ...(include?.length ? ['include'] : []),
    ...(names?.length ? ['known_speaker_names'] : []),
    ...(languages.length > 0 && (namedLanguage(fields.language) !== undefined || languages.length > 1)
      ? ['languages']
      : []),
    ...(granularities?.length && (fields.stream || !hasTimes(format)) ? ['timestamp_granularities'] : []),
    ...(fields.diarize && !canNameSpeakers(format) ? ['diarize'] : []),
    ...(hasChunkingSettings(fields.chunking_strategy) ? ['chunking_strategy'] : []),
  ]
}

/** Whether the caller sets how recordings are cut; `auto` is what is done anyway. A form sends an object as JSON. */
function hasChunkingSettings(strategy: TranscriptionFields['chunking_strategy']): boolean {
  if (strategy == null || strategy === 'auto' || strategy === '') return false
  const value = typeof strategy === 'string' ? jsonOf(strategy) : strategy
  if ((value as { type?: unknown } | null)?.type !== 'server_vad')
    fail('INVALID_REQUEST', { why: reasons.chunking }, { param: 'chunking_strategy' })
  return true
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
