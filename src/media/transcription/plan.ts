/** Plans a transcription: how a model gets a recording, in which pieces, and the most that these may use. */
import {
  maxRecordingTokens,
  maxTranscriptTokens,
  type RecordedFormat,
  type TranscriptionModel,
  type TranscriptionUsage,
} from '#core/models'
import type { MeasuredRecording, SoundFormat } from '#core/sound'
import type { RecordedSound, Timestamps, TranscriptionOrder } from '#core/turn'
import { fail } from '#platform/errors'
import type { PieceSpan } from './cut.ts'
import { languageOf } from './language.ts'
import { reasons } from './phrases.ts'
import type { LiveSound, OpenedRecording, TranscriptionSetting, TranscriptionSpec } from './transcription.ts'

/** The shortest recording in seconds: vendors refuse a shorter one, and bill it. */
export const minSeconds = 0.1
/** The longest recording in seconds: four hours. */
export const maxSeconds = 14_400

export interface TranscriptionPlan {
  /**
   * How a piece becomes a file: `whole`, the recording as it came; `converted`, its sound encoded here; `packets`, cut out without being decoded;
   * `live`, sound that still comes, encoded here.
   */
  how: 'whole' | 'converted' | 'packets' | 'live'
  /** The format in which sound is encoded here. */
  encoding: SoundFormat
  /** The longest piece. */
  maxSeconds: number
  overlapSeconds: number
  /** Whether every two pieces overlap, so that speakers can be matched by the overlap. */
  alwaysOverlaps: boolean
  /** Whether more than one piece is sent, or can be. */
  isCut: boolean
  /** The settings of every order. */
  settings: Omit<TranscriptionOrder, 'recording' | 'maxOutputTokens' | 'onText'>
}

/** The largest recording that is sent as it came: it stands in memory, and once more in the provider's request. */
const maxWholeBytes = 64 * 1024 * 1024
/** The longest piece, in seconds, that is encoded here: a single piece, and one of several, some of which are sent at once. */
const maxSingleLength = 1_200
const maxPieceLength = 300
/** The largest piece that is cut out of a file by its packets. */
const maxPacketBytes = 10 * 1024 * 1024
const leastPacketsSeconds = 10
/**
 * The most bytes of a second of packets. A frame of ADTS has at most 8,191 bytes for 1,024 samples; this is for 96 kHz, the highest rate. Only the
 * sound of a file is cut out.
 */
const maxPacketBytesPerSecond = 768_000
/** The overlap of two pieces, in seconds: by it words are aligned, or voices recognised. */
const overlapSeconds = 8
const voiceOverlapSeconds = 30
/** The shortest piece where speakers are matched: four overlaps. */
const minSecondsWithVoices = 4 * voiceOverlapSeconds
/** The usual length of a live piece that ends at a pause. */
const livePieceSeconds = 30

/**
 * The plan of a transcription. Throws TRANSCRIPTION_SETTING_NOT_SUPPORTED, UNKNOWN_LANGUAGE, RECORDING_LENGTH_REFUSED, RECORDING_NOT_CONVERTIBLE,
 * RECORDING_NOT_CUTTABLE, or INVALID_REQUEST for a model that does not translate, each with the path of the setting at fault.
 */
export function planTranscription(
  model: TranscriptionModel,
  recording: OpenedRecording | LiveSound,
  spec: TranscriptionSpec,
): TranscriptionPlan {
  const settings = settingsOf(model, spec)
  if ('sound' in recording) return livePlan(model, recording, spec, settings)
  const { measured } = recording.recording
  const { seconds } = measured
  requireLength(spec, seconds)
  const bytes = sizeOf(recording)
  const conversion = chooseConversion(model, spec, measured, bytes)
  const { maxBytes } = model.transcription
  const room =
    conversion.how === 'whole'
      ? seconds
      : Math.min(model.transcription.maxSeconds, maxPieceSeconds(conversion, maxBytes, bytes / seconds))
  if (conversion.how === 'packets' && room < leastPacketsSeconds)
    return notConvertible(model, spec, measured.codec)
  if (seconds <= room) return planOf(model, spec, settings, { ...conversion, maxSeconds: room, isCut: false })
  if (spec.diarize && room < minSecondsWithVoices)
    fail(
      'RECORDING_NOT_CUTTABLE',
      { model: model.id, seconds: Math.round(seconds), maxSeconds: Math.floor(room) },
      { param: spec.where('diarize') },
    )
  const pieceLimitSeconds =
    conversion.how === 'packets' || spec.diarize ? room : Math.min(room, maxPieceLength)
  return planOf(model, spec, settings, { ...conversion, maxSeconds: pieceLimitSeconds, isCut: true })
}

export const sizeOf = ({ source }: OpenedRecording): number =>
  source instanceof Uint8Array ? source.length : source.bytes

type Conversion = Pick<TranscriptionPlan, 'how' | 'encoding'>

function planOf(
  model: TranscriptionModel,
  spec: TranscriptionSpec,
  settings: TranscriptionPlan['settings'],
  conversion: Conversion & Pick<TranscriptionPlan, 'maxSeconds' | 'isCut'>,
): TranscriptionPlan {
  const alwaysOverlaps = spec.diarize === true
  return {
    ...conversion,
    overlapSeconds: alwaysOverlaps
      ? voiceOverlapSeconds
      : Math.min(overlapSeconds, conversion.maxSeconds / 4),
    alwaysOverlaps,
    settings: conversion.isCut ? { ...settings, timestamps: timestampsOfPieces(model, settings) } : settings,
  }
}

/**
 * Pieces are joined best by the model's most exact times. Of a translation no upstream says those of words, but two translations of one sentence may
 * have no word in common, so that nothing but times shows where they overlap.
 */
function timestampsOfPieces(
  { transcription: { timestamps } }: TranscriptionModel,
  { translate }: TranscriptionPlan['settings'],
): Timestamps {
  return translate && timestamps === 'word' ? 'segment' : timestamps
}

function livePlan(
  model: TranscriptionModel,
  { maxSeconds: wanted }: LiveSound,
  spec: TranscriptionSpec,
  settings: TranscriptionPlan['settings'],
): TranscriptionPlan {
  requireLength(spec, wanted)
  // A voice is recognised in the overlap of two pieces, and live pieces are cut at pauses.
  if (spec.diarize) refuse(model, spec, 'diarize', 'true', [])
  const encoding = encodingFor(model)
  if (!encoding) return notConvertible(model, spec, 'pcm')
  const conversion = { how: 'live', encoding } as const
  const { maxSeconds: modelMaxSeconds, maxBytes } = model.transcription
  const room = Math.min(modelMaxSeconds, maxPieceSeconds(conversion, maxBytes, 0), maxPieceLength)
  return planOf(model, spec, settings, { ...conversion, maxSeconds: room, isCut: true })
}

function settingsOf(model: TranscriptionModel, spec: TranscriptionSpec): TranscriptionPlan['settings'] {
  const capabilities = model.transcription
  const { prompt, keywords, temperature, speakers } = spec
  const language = languageFor(model, spec)
  if (spec.translate && !capabilities.translates)
    fail('INVALID_REQUEST', { why: reasons.noTranslation(model.id) }, { param: spec.where('model') })
  if (prompt && !capabilities.takesPrompt) refuse(model, spec, 'prompt')
  if (keywords?.length && !capabilities.takesKeywords) refuse(model, spec, 'keywords')
  if (spec.diarize && !capabilities.diarizes) refuse(model, spec, 'diarize', 'true', [])
  if (speakers !== undefined && !spec.diarize) refuseWithoutOther(model, spec, 'speakers', 'diarize')
  const exactest = timestampPrecisions.indexOf(capabilities.timestamps)
  if (timestampPrecisions.indexOf(spec.timestamps) > exactest)
    refuse(model, spec, 'timestamps', spec.timestamps, timestampPrecisions.slice(0, exactest + 1))
  return {
    ...(spec.translate && { translate: true }),
    ...(language !== undefined && { language }),
    ...(prompt && { prompt }),
    ...(keywords?.length && { keywords }),
    ...(temperature !== undefined && { temperature }),
    timestamps: spec.timestamps,
    ...(spec.diarize && { diarize: true, ...(speakers !== undefined && { speakers }) }),
  }
}

/** The language of the text, where it is known before it is written: that of a translation is English. */
export const writtenLanguageOf = ({ settings }: Pick<TranscriptionPlan, 'settings'>): string | undefined =>
  settings.translate ? 'en' : settings.language

const timestampPrecisions: readonly Timestamps[] = ['none', 'segment', 'word']

function languageFor(model: TranscriptionModel, spec: TranscriptionSpec): string | undefined {
  if (spec.language === undefined) return undefined
  const language = languageOf(spec.language)
  if (!language)
    return fail('UNKNOWN_LANGUAGE', { language: spec.language }, { param: spec.where('language') })
  const { languages } = model.transcription
  if (languages && !languages.some((one) => (languageOf(one) ?? one) === language))
    refuse(model, spec, 'language', spec.language, languages)
  return language
}

function requireLength(spec: TranscriptionSpec, seconds: number): void {
  if (seconds >= minSeconds && seconds <= maxSeconds) return
  // The length is rounded away from the accepted range, so that the sentence never names an accepted length.
  const said = seconds < minSeconds ? Math.floor(seconds * 1_000) / 1_000 : Math.ceil(seconds * 100) / 100
  fail('RECORDING_LENGTH_REFUSED', { seconds: said, minSeconds, maxSeconds }, { param: spec.where('file') })
}

/** Formats by the media types of recordings. Films have none, so that only their sound is sent. */
export const formats: Readonly<Record<string, RecordedFormat>> = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
}

/** The formats that are encoded here, the best first, each with the most bytes of a second at 16 kHz. */
const encodings: readonly [RecordedFormat, SoundFormat, number][] = [
  ['wav', 'wav', 32_000],
  ['flac', 'flac', 33_000],
  ['mp3', 'mp3', 9_000],
  ['ogg', 'opus', 6_000],
  ['aac', 'aac', 9_000],
]

const encodingFor = ({ transcription }: TranscriptionModel): SoundFormat | undefined =>
  encodings.find(([format]) => transcription.formats.includes(format))?.[1]

/** A file with more hidden sound than this is not sent as it is. */
const maxHiddenSeconds = 0.5

function chooseConversion(
  model: TranscriptionModel,
  spec: TranscriptionSpec,
  measured: MeasuredRecording,
  bytes: number,
): Conversion {
  const { formats: taken, maxBytes, maxSeconds: modelMaxSeconds } = model.transcription
  const { mediaType, codec, seconds, packetSeconds, isDecodable } = measured
  const format = formats[mediaType]
  const isTaken = format !== undefined && taken.includes(format)
  const isShown = packetSeconds - seconds <= maxHiddenSeconds
  const encoding = encodingFor(model)
  if (isTaken && isShown && bytes <= Math.min(maxBytes, maxWholeBytes) && seconds <= modelMaxSeconds)
    return { how: 'whole', encoding: encoding ?? 'wav' }
  if (isDecodable && encoding) return { how: 'converted', encoding }
  // Packets of AAC are sent as ADTS.
  if (codec === 'aac' && taken.includes('aac')) return { how: 'packets', encoding: 'aac' }
  return notConvertible(model, spec, codec)
}

const notConvertible = (model: TranscriptionModel, spec: TranscriptionSpec, codec: string): never =>
  fail(
    'RECORDING_NOT_CONVERTIBLE',
    {
      ...{ model: model.id, codec, formats: model.transcription.formats },
      maxSeconds: model.transcription.maxSeconds,
      maxMegabytes: Math.floor(Math.min(model.transcription.maxBytes, maxWholeBytes) / (1024 * 1024)),
    },
    { param: spec.where('file') },
  )

/** The seconds of one piece for which this many bytes have room. */
function maxPieceSeconds(
  { how, encoding }: Conversion,
  maxBytes: number,
  sourceBytesPerSecond: number,
): number {
  if (how === 'packets') {
    const bytesPerSecond = 1.2 * Math.min(sourceBytesPerSecond, maxPacketBytesPerSecond)
    return Math.floor(Math.min(maxBytes, maxPacketBytes) / bytesPerSecond)
  }
  const [, , bytesPerSecond] = encodings.find(([, one]) => one === encoding)!
  return Math.min(maxSingleLength, Math.floor((maxBytes - headBytes) / bytesPerSecond))
}

const headBytes = 8_192

const refuse = (
  model: TranscriptionModel,
  spec: TranscriptionSpec,
  setting: TranscriptionSetting,
  value?: string,
  supported: readonly string[] = [],
): never =>
  fail(
    'TRANSCRIPTION_SETTING_NOT_SUPPORTED',
    { model: model.id, setting: spec.where(setting), ...(value !== undefined && { value }), supported },
    { param: spec.where(setting) },
  )

/** Refuses a setting that has a meaning only together with another one. */
const refuseWithoutOther = (
  model: TranscriptionModel,
  spec: TranscriptionSpec,
  setting: TranscriptionSetting,
  beside: TranscriptionSetting,
): never =>
  fail(
    'TRANSCRIPTION_SETTING_NOT_SUPPORTED',
    { model: model.id, setting: spec.where(setting), supported: [], beside: spec.where(beside) },
    { param: spec.where(setting) },
  )

/** The most that these pieces may use. */
export function boundOf(plan: TranscriptionPlan, spans: readonly PieceSpan[]): TranscriptionUsage {
  // Packets begin a moment before the requested time.
  const more = plan.how === 'packets' ? packetSeconds : 0
  const seconds = spans.map(({ from, to }) => to - from + more)
  const tokenBounds = seconds.map((one) => maxTokensOf(plan, one))
  return {
    seconds,
    inputTokens: tokenBounds.reduce((sum, { input }) => sum + input, 0),
    outputTokens: tokenBounds.reduce((sum, { output }) => sum + output, 0),
  }
}

const packetSeconds = 1

/** The most tokens that are paid for one piece. */
export function maxTokensOf(
  { settings: { prompt, keywords = [] } }: TranscriptionPlan,
  seconds: number,
): { input: number; output: number } {
  const texts = prompt === undefined ? keywords : [prompt, ...keywords]
  const said = texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 2) + tokensAround, 0)
  return { input: maxRecordingTokens(seconds) + said, output: maxTranscriptTokens(seconds) }
}

const tokensAround = 8

/** The order for one piece. */
export const orderOf = (plan: TranscriptionPlan, recording: RecordedSound): TranscriptionOrder => ({
  ...plan.settings,
  recording,
  maxOutputTokens: maxTranscriptTokens(recording.seconds),
})

/** The pieces of live sound: the largest possible number, each of which may begin within the one before it. */
export function liveSpans(plan: TranscriptionPlan, live: LiveSound): PieceSpan[] {
  const { maxSeconds: pieceLimitSeconds, overlapSeconds: overlap } = plan
  const pieces = Math.ceil(live.maxSeconds / pieceSecondsOf(live, pieceLimitSeconds, overlap)) + 1
  // The length of each piece is rounded up to a whole second.
  const length = live.maxSeconds / pieces + overlap + 1
  return Array.from({ length: pieces }, () => ({ from: 0, to: length, joint: 'overlap' as const }))
}

/** The shortest live piece that a pause may end. */
export const pieceSecondsOf = (live: LiveSound, pieceLimitSeconds: number, overlap: number): number =>
  Math.max(1, Math.min(live.pieceSeconds ?? livePieceSeconds, pieceLimitSeconds - overlap))
