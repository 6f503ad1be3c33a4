/** What the dialects of sound can do, so that an entry which promises more is refused at the start and not after a hold. */

import type { SoundEncoding } from '#core/turn'
import type { Sentence } from '#platform/config'
import type { Dialect } from '../../provider-settings.ts'
import type { AudioTask } from './audio-model.ts'
import type { AudioEntry } from './settings.ts'

interface SoundWire {
  tasks: readonly AudioTask[]
  formats: readonly SoundEncoding[]
  /** The rates of the wire's pcm, in hertz; absent: any. */
  rates?: readonly number[]
  /** False: the wire has no field for instructions beside the text. */
  takesInstructions?: false
  /** False: the wire has no field for the pace. */
  takesSpeed?: false
  /** The most voices of one dialogue; absent: any number. */
  maxVoices?: number
}

const all = ['mp3', 'wav', 'pcm', 'opus', 'aac', 'flac'] as const

/** Dialects that speak. A provider with several of them speaks by the first (src/connect.ts). */
const speechWires: Partial<Record<Dialect, SoundWire>> = {
  speech: { tasks: ['speech'], formats: all },
  openrouter: { tasks: ['speech'], formats: ['mp3', 'pcm'] },
  elevenlabs: {
    tasks: ['speech', 'dialogue'],
    formats: ['mp3', 'pcm'],
    rates: [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    takesInstructions: false,
  },
  gemini: { tasks: ['speech', 'dialogue'], formats: ['pcm', 'wav'], takesSpeed: false, maxVoices: 2 },
}
/** Dialects that answer recordings, for a provider that has one of them. */
const answerWires: Partial<Record<Dialect, SoundWire>> = {
  modalities: { tasks: ['answer'], formats: all },
}

/** A provider needs one of these. */
export const audioDialects = Object.keys({ ...speechWires, ...answerWires }) as Dialect[]

/** Returns what the entry promises and no wire of these dialects can do, and how to fix it; undefined if there is nothing. */
export function unableWires(
  { audio }: Pick<AudioEntry, 'audio'>,
  dialects: readonly Dialect[],
): Sentence | undefined {
  const answers = firstOf(answerWires, dialects)
  const wires = [firstOf(speechWires, dialects), answers].filter((wire) => wire !== undefined)
  const tasks = wires.flatMap((wire) => wire.tasks)
  const task = audio.tasks.find((one) => !tasks.includes(one))
  if (task) return unableTask(task, tasks)
  const used = wires.filter((wire) => wire.tasks.some((one) => audio.tasks.includes(one)))
  for (const { formats, rates, maxVoices, takesInstructions = true, takesSpeed = true } of used) {
    if (audio.takesInstructions && !takesInstructions) return unableInstructions
    if (audio.speed && !takesSpeed) return unableSpeed
    const format = audio.formats.find((one) => !formats.includes(one))
    if (format) return unableFormat(format, formats)
    if (audio.formats.includes('pcm') && rates && !rates.includes(audio.rate))
      return unableRate(audio.rate, rates)
    if (audio.tasks.includes('dialogue') && maxVoices !== undefined && audio.maxVoices > maxVoices)
      return unableVoices(audio.maxVoices, maxVoices)
  }
  return undefined
}

const firstOf = (
  table: Partial<Record<Dialect, SoundWire>>,
  dialects: readonly Dialect[],
): SoundWire | undefined =>
  Object.entries(table).find(([dialect]) => dialects.some((own) => own === dialect))?.[1]

/** Dialects by which a task is done. */
const wiresOf = (task: AudioTask): string[] =>
  [speechWires, answerWires]
    .flatMap((table) => Object.entries(table))
    .flatMap(([dialect, wire]) => (wire.tasks.includes(task) ? [dialect] : []))

const unableInstructions: Sentence = {
  en: 'which has no field for instructions: leave audio.instructions out, and write directions into the text as the vendor documents them',
  fa: 'که جایی برای دستور ندارد: audio.instructions را بردارید و شیوهٔ خواندن را چنان‌که آن ارائه‌دهنده می‌گوید در خود متن بنویسید',
}

const unableSpeed: Sentence = {
  en: 'which has no field for the pace of speech: leave audio.speed out',
  fa: 'که جایی برای تندی گفتار ندارد: audio.speed را بردارید',
}

const unableTask = (task: AudioTask, tasks: readonly AudioTask[]): Sentence => ({
  en: `whose wires of sound do ${tasks.join(', ')} and not ${task}: remove ${task} from audio.does, or write a provider of the dialect ${wiresOf(task).join(' or ')}`,
  fa: `که گویش‌های صدایش ${tasks.join('، ')} را انجام می‌دهند و نه ${task} را: ${task} را از audio.does بردارید یا ارائه‌دهنده‌ای با گویش ${wiresOf(task).join(' یا ')} بنویسید`,
})

const unableFormat = (format: SoundEncoding, formats: readonly SoundEncoding[]): Sentence => ({
  en: `which makes ${formats.join(', ')} and not ${format}: write audio.formats of these; other formats are made here`,
  fa: `که ${formats.join('، ')} را می‌سازد و نه ${format} را: audio.formats را از این‌ها بنویسید؛ قالب‌های دیگر همین‌جا ساخته می‌شوند`,
})

const unableRate = (rate: number, rates: readonly number[]): Sentence => ({
  en: `whose pcm has ${rates.join(', ')} Hz and not ${rate}: write one of these as audio.rate`,
  fa: `که pcm آن ${rates.join('، ')} هرتز است و نه ${rate}: یکی از این‌ها را در audio.rate بنویسید`,
})

const unableVoices = (wanted: number, max: number): Sentence => ({
  en: `which speaks a dialogue with ${max} voices at most and not ${wanted}: write audio.max_voices: ${max}`,
  fa: `که گفت‌وگو را حداکثر با ${max} صدا می‌خواند و نه ${wanted}: بنویسید audio.max_voices: ${max}`,
})
