/** What the dialects of transcription can do, so that an entry which promises more is refused at the start and not after a hold. */
import type { Sentence } from '#platform/config'
import type { Dialect } from '../../provider-settings.ts'
import type { TranscriptionEntry } from './settings.ts'
import type { RecordedFormat } from './transcription-model.ts'

interface TranscriptionWire {
  /** The formats that the wire takes; absent: they depend on the model behind it. */
  formats?: readonly RecordedFormat[]
  /** False: the wire has no field for this; absent: it has one. */
  takesPrompt?: false
  takesKeywords?: false
  diarizes?: false
  translates?: false
  streams?: false
  hearsLive?: false
}

/** A provider with several of these dialects transcribes by the first (src/connect.ts). */
const wires: Partial<Record<Dialect, TranscriptionWire>> = {
  transcriptions: {},
  openrouter: {
    takesPrompt: false,
    takesKeywords: false,
    diarizes: false,
    translates: false,
    streams: false,
    hearsLive: false,
  },
  deepgram: { takesPrompt: false, translates: false, streams: false },
  elevenlabs: { takesPrompt: false, translates: false, streams: false },
  sherpa: {
    formats: ['wav'],
    takesPrompt: false,
    takesKeywords: false,
    diarizes: false,
    translates: false,
    streams: false,
    hearsLive: false,
  },
}

/** A provider needs one of these. */
export const transcriptionDialects = Object.keys(wires) as Dialect[]

/** Returns what the entry promises and the wire of these dialects cannot do, and how to fix it; undefined if there is nothing. */
export function unableTranscription(
  { transcription }: Pick<TranscriptionEntry, 'transcription'>,
  dialects: readonly Dialect[],
): Sentence | undefined {
  const wire = Object.entries(wires).find(([dialect]) => dialects.some((own) => own === dialect))?.[1]
  if (!wire) return undefined
  const { formats, takesPrompt, takesKeywords, diarizes, translates, streams, hearsLive } = transcription
  if (takesPrompt && wire.takesPrompt === false) return unableField('a prompt', 'پیش‌متن', 'prompt')
  if (takesKeywords && wire.takesKeywords === false)
    return unableField('keywords', 'واژه‌های کلیدی', 'keywords')
  if (diarizes && wire.diarizes === false)
    return unableField('telling speakers apart', 'جدا کردن گوینده‌ها', 'diarize')
  if (translates && wire.translates === false)
    return unableField('writing in English what is said in another language', 'ترجمه به انگلیسی', 'translate')
  if (streams && wire.streams === false)
    return unableField('an answer that comes piece by piece', 'پاسخ تکه‌تکه', 'stream')
  if (hearsLive && wire.hearsLive === false)
    return unableField('sound while it is spoken', 'صدایی که هنوز گفته می‌شود', 'live')
  const format = wire.formats && formats.find((one) => !wire.formats!.includes(one))
  if (format) return unableFormat(format, wire.formats!)
  // Speakers are returned in a format of their own, which has no words (developers.openai.com, createTranscription).
  const isOpenAi = dialects.find((dialect) => dialect in wires) === 'transcriptions'
  if (isOpenAi && diarizes && transcription.timestamps === 'word') return unableWords
  return undefined
}

const unableField = (en: string, fa: string, setting: string): Sentence => ({
  en: `whose wire of transcription has no place for ${en}: leave transcription.${setting} out`,
  fa: `که گویش رونویسی‌اش جایی برای ${fa} ندارد: transcription.${setting} را بردارید`,
})

const unableFormat = (format: RecordedFormat, formats: readonly RecordedFormat[]): Sentence => ({
  en: `which takes ${formats.join(', ')} and not ${format}: write transcription.formats of these; everything else is converted here`,
  fa: `که ${formats.join('، ')} می‌گیرد و نه ${format}: transcription.formats را از این‌ها بنویسید؛ بقیه همین‌جا تبدیل می‌شوند`,
})

const unableWords: Sentence = {
  en: 'whose wire says of speakers only when their sentences begin and end: write timestamps: segment beside diarize: true, or leave diarize out',
  fa: 'که گویش آن از گوینده‌ها فقط آغاز و پایان جمله‌ها را می‌گوید: کنار diarize: true بنویسید timestamps: segment، یا diarize را بردارید',
}
