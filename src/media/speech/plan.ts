/** Plans a request for speech: which orders are sent to a model, in which format, and what they may cost at most. */
import { type AudioModel, type AudioUsage, maxSoundTokens, maxSpokenSeconds } from '#core/models'
import { isSpeakable, maxSpokenLetters, type SoundFormat, splitForSpeech } from '#core/sound'
import type { AudioOrder, SpokenLine } from '#core/turn'
import { fail } from '#platform/errors'
import type { SpeechSetting, SpeechSpec, WantedLine } from './speech.ts'

/** An order without the place where its sound goes. */
export type PlannedOrder = Omit<AudioOrder, 'sink'>

export interface SpeechPlan {
  /** The orders in the sequence in which they are heard; each is sent once. */
  orders: PlannedOrder[]
  /** Whether there are several voices, which are brought to one loudness. */
  isDialogue: boolean
  /** The most that all orders together may use, which is held. */
  bound: AudioUsage
  /** The seconds of sound that are believed of all orders. */
  possibleSeconds: number
}

/**
 * The plan for a request. Throws AUDIO_SETTING_NOT_SUPPORTED, NOTHING_TO_SPEAK or SOUND_TOO_LONG, each with the path of the setting at fault. A
 * dialogue goes to a model in one order where the model takes it so, else in one order for each line.
 */
export function planSpeech(model: AudioModel, spec: SpeechSpec): SpeechPlan {
  const lines = spec.lines.map((line, index) => lineOf(model, spec, line, index))
  requireTask(model, spec)
  const speed = speedOf(model, spec)
  const isDialogue = lines.length > 1
  const groups =
    isDialogue && canSpeakAllLines(model, lines) ? [lines] : lines.flatMap((line) => splitLine(model, line))
  const orders = groups.map((group) => ({
    lines: group,
    ...(spec.question && {
      question: spec.question,
      maxOutputTokens: maxSoundTokens(maxAnswerSeconds),
    }),
    ...(model.audio.isVerbatim && { isVerbatim: true as const }),
    format: upstreamFormat(model, spec.format, groups.length > 1),
    ...(speed !== undefined && { speed }),
  }))
  requireRoom(spec, orders)
  const possibleSeconds = orders.reduce((sum, order) => sum + possibleSecondsOf(order), 0)
  return { orders, isDialogue, bound: boundOf(orders), possibleSeconds }
}

function lineOf(model: AudioModel, spec: SpeechSpec, line: WantedLine, index: number): SpokenLine {
  const { voices, takesOtherVoices, takesInstructions } = model.audio
  if (!spec.question && !isSpeakable(line.text))
    fail('NOTHING_TO_SPEAK', {}, { param: spec.where('text', index) })
  const wanted = line.voice?.trim()
  const voice =
    wanted === undefined ? voices[0]! : voices.find(({ id, name }) => id === wanted || name === wanted)
  if (!voice && !takesOtherVoices)
    refuse(
      model,
      spec,
      { setting: 'voice', line: index },
      wanted!,
      voices.map(({ id }) => id),
    )
  const instructions = line.instructions?.trim()
  if (instructions && !takesInstructions)
    refuse(model, spec, { setting: 'instructions', line: index }, '…', ['no instructions'])
  return { text: line.text, voice: voice?.id ?? wanted!, ...(instructions && { instructions }) }
}

function requireTask(model: AudioModel, spec: SpeechSpec): void {
  const { tasks } = model.audio
  const task = spec.question ? 'answer' : 'speech'
  // A model that speaks dialogues speaks a single line too.
  const able = task === 'answer' ? tasks.includes('answer') : tasks.some((one) => one !== 'answer')
  if (!able) refuse(model, spec, { setting: 'task' }, task, tasks)
}

/** The speed; undefined for the usual one, which is not sent to the upstream. */
function speedOf(model: AudioModel, spec: SpeechSpec): number | undefined {
  const { speed: range } = model.audio
  const { speed = 1 } = spec
  if (speed === 1) return undefined
  if (!range || speed < range.min || speed > range.max)
    refuse(model, spec, { setting: 'speed' }, String(speed), [range ? `${range.min}–${range.max}` : '1'])
  return speed
}

function canSpeakAllLines({ audio }: AudioModel, lines: readonly SpokenLine[]): boolean {
  const characters = lines.reduce((sum, { text }) => sum + text.length, 0)
  const voices = new Set(lines.map(({ voice }) => voice))
  // Where instructions stand in the text, they apply to all of it.
  const instructions = new Set(lines.map((line) => line.instructions))
  return (
    audio.tasks.includes('dialogue') &&
    (audio.isVerbatim || instructions.size === 1) &&
    lines.length <= audio.maxTurns &&
    voices.size <= audio.maxVoices &&
    characters <= audio.maxCharacters
  )
}

/** Cuts a line into as many orders as the upstream's bound requires, each of whole sentences where they fit. */
function splitLine({ audio }: AudioModel, line: SpokenLine): SpokenLine[][] {
  if (line.text === '') return [[line]]
  return splitForSpeech(line.text, audio.maxCharacters)
    .filter(isSpeakable)
    .map((text) => [{ ...line, text: text.trim() }])
}

/** Formats that are decoded here, those without loss first. */
const decodable = ['pcm', 'wav', 'flac', 'opus', 'mp3'] as const

/** The format to request of the upstream: the wanted one where the upstream makes it in one order, else the best that is decoded here. */
function upstreamFormat(
  { audio: { formats, rate } }: AudioModel,
  wanted: SoundFormat,
  isJoined: boolean,
): AudioOrder['format'] {
  // AAC is not decoded here, so it could not be checked whether it came whole.
  const isProven = wanted !== 'wav' && wanted !== 'aac'
  const direct = !isJoined && isProven && formats.includes(wanted) ? wanted : undefined
  const encoding = direct ?? decodable.find((one) => formats.includes(one)) ?? formats[0]!
  return encoding === 'pcm' ? { encoding, rate, channels: 1 } : { encoding }
}

function boundOf(orders: readonly PlannedOrder[]): AudioUsage {
  const texts = orders.flatMap(({ lines, question }) => [
    ...lines.flatMap(({ text, instructions = '' }) => [text, instructions]),
    question?.text ?? '',
  ])
  const characters = orders.reduce((sum, order) => sum + charactersOf(order), 0)
  const seconds = orders.reduce((sum, order) => sum + maxSecondsOf(order), 0)
  const heard = orders.reduce((sum, order) => sum + recordedSecondsOf(order), 0)
  const inputTokens =
    texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 2) + tokensAround, 0) +
    maxSoundTokens(heard)
  return { characters, seconds, inputTokens, outputTokens: maxSoundTokens(seconds) }
}

/** The seconds of the recording that an order answers. */
export const recordedSecondsOf = ({ question }: PlannedOrder): number =>
  question?.recording.durationSeconds ?? 0

/** The most seconds of sound of an order: more than any voice takes for its text. */
const maxSecondsOf = (order: PlannedOrder): number =>
  order.question
    ? maxAnswerSeconds
    : Math.ceil(maxSpokenSeconds(lettersIn(order), order.lines.length) / (order.speed ?? 1))

/**
 * How many times the held seconds are believed. A hold covers twice the time of reading the text slowly (`slowLetters`), or just that time where
 * instructions ask for slowness (`slowestLetters`). Sound of up to four times the slow reading is believed, with the silence that a model adds;
 * longer sound is no reading of this text. An answer's length is bounded by its tokens, of which some vendors count a quarter of those held a second.
 */
const maxDurationFactor = 2
const maxUnboundDurationFactor = 4

const possibleSecondsOf = (order: PlannedOrder): number => {
  const isUnbound = order.question !== undefined || order.lines.some(({ instructions }) => instructions)
  return maxSecondsOf(order) * (isUnbound ? maxUnboundDurationFactor : maxDurationFactor)
}

const lettersIn = ({ lines }: PlannedOrder): number =>
  lines.reduce((sum, { text }) => sum + maxSpokenLetters(text), 0)

const tokensAround = 8
/** The most seconds of a spoken answer, whose length its text does not bound. */
const maxAnswerSeconds = 300

/** Characters of an order as vendors bill them: Unicode characters. */
export const charactersOf = ({ lines, question }: PlannedOrder): number =>
  [...lines.map(({ text }) => text), question?.text ?? ''].reduce((sum, text) => sum + [...text].length, 0)

/** The bytes of a second at 24 kHz, for sound encoded here. */
const bytesPerSecond: Record<SoundFormat, number> = {
  wav: 48_000,
  pcm: 48_000,
  flac: 32_000,
  mp3: 8_000,
  aac: 8_000,
  opus: 4_000,
}
/** The bytes of a second for upstreams' sound that is passed on: 128 kbit/s. */
const passedBytesPerSecond = 16_000

/** The letters of a second, read slowly. */
const slowLetters = 6
/** The letters of a second where instructions may ask for more slowness. An mp3 needs no room for that, since it can be made half as large. */
const slowestLetters = 3

const slowSeconds = (order: PlannedOrder, format: SoundFormat): number => {
  if (order.question) return maxAnswerSeconds
  const isInstructed = format !== 'mp3' && order.lines.some(({ instructions }) => instructions)
  return (lettersIn(order) / (isInstructed ? slowestLetters : slowLetters) + 1) / (order.speed ?? 1)
}

/** Seconds that the text of these orders takes when it is read slowly. */
const likelySeconds = (orders: readonly PlannedOrder[], format: SoundFormat): number =>
  Math.ceil(orders.reduce((sum, order) => sum + slowSeconds(order, format), 0))

/** Throws SOUND_TOO_LONG before the order, where the sound would not fit into an answer. */
function requireRoom({ format, maxBytes, lines, where }: SpeechSpec, orders: readonly PlannedOrder[]): void {
  const seconds = likelySeconds(orders, format)
  const roomOf = (one: SoundFormat) => roomSeconds(one, maxBytes)
  if (seconds <= roomOf(format)) return
  const isFormat = likelySeconds(orders, 'mp3') <= roomOf('mp3')
  const param = isFormat ? where('format') : where(lines.length > 1 ? 'turns' : 'text', 0)
  fail('SOUND_TOO_LONG', { seconds, maxSeconds: roomOf(format) }, { param })
}

/** The seconds of sound for which this many bytes have room. */
export const roomSeconds = (format: SoundFormat, maxBytes: number): number =>
  Math.floor(maxBytes / bytesPerSecond[format])

/** Bytes to reserve for the stored file. */
export function reservedBytes(
  { orders }: Pick<SpeechPlan, 'orders'>,
  { format, maxBytes }: SpeechSpec,
): number {
  const isPassed = orders.length === 1 && orders[0]!.format.encoding === format
  const own = bytesPerSecond[format]
  const each = isPassed ? Math.max(own, passedBytesPerSecond) : own
  return Math.min(maxBytes, likelySeconds(orders, format) * each)
}

function refuse(
  model: AudioModel,
  spec: SpeechSpec,
  { setting, line }: { setting: SpeechSetting; line?: number },
  value: string,
  supported: string[],
): never {
  return fail(
    'AUDIO_SETTING_NOT_SUPPORTED',
    { model: model.id, setting, value, supported },
    { param: spec.where(setting, line) },
  )
}
