/** A voice of the synthesiser: how high it speaks, how long its vocal tract is, how fast and how breathy it is. */
export interface Voice {
  readonly id: string
  /** Fundamental frequency in the middle of a statement, in Hz. */
  readonly pitchHz: number
  /** Factor of all resonances: 1 is a man's vocal tract of about 17 cm; shorter tracts resonate higher. */
  readonly formantScale: number
  /** Factor of all durations. */
  readonly pace: number
  /** Share of breath in the glottal source, from 0 to 1. */
  readonly breath: number
}

export const voices: readonly Voice[] = [
  { id: 'sandbox-mina', pitchHz: 196, formantScale: 1.14, pace: 1, breath: 0.1 },
  { id: 'sandbox-kian', pitchHz: 112, formantScale: 1, pace: 1.04, breath: 0.05 },
]

const paces = { usual: 1, slow: 1.35, fast: 0.75 }
const pitches = { usual: 1, high: 1.25, low: 0.8 }

const withPace = (voice: Voice, pace: keyof typeof paces): Voice => ({
  ...voice,
  pace: voice.pace * paces[pace],
})

/** Each voice at each pace. The track of words (`track/write.ts`) names the voice by its place here, so that times of words are exact. */
export const pacedVoices: readonly Voice[] = (['usual', 'slow', 'fast'] as const).flatMap((pace) =>
  voices.map((voice) => withPace(voice, pace)),
)

const wordsOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

const manners = {
  slow: wordsOf('slow slower slowly calm calmly relaxed آهسته آرام کند شمرده'),
  fast: wordsOf('fast faster quick quickly rapid rapidly hurried تند سریع شتابان'),
  high: wordsOf('high higher bright cheerful cheerfully happy happily excited شاد زیر هیجان‌زده'),
  low: wordsOf('low lower deep deeper deeply sad sadly serious seriously بم غمگین جدی'),
}

/** The voice as instructions ask it to speak: words about pace and pitch are followed, and nothing else. */
export function instructedVoice(voice: Voice, instructions = ''): Voice {
  // Persian comparatives count as their adjective.
  const said = (instructions.toLowerCase().match(/[\p{L}\u200c]+/gu) ?? []).map((word) =>
    word.replace(/\u200c?تر$/, ''),
  )
  const asks = (manner: keyof typeof manners): boolean => said.some((word) => manners[manner].has(word))
  const pace = asks('slow') ? 'slow' : asks('fast') ? 'fast' : 'usual'
  const pitch = asks('high') ? 'high' : asks('low') ? 'low' : 'usual'
  return { ...withPace(voice, pace), pitchHz: voice.pitchHz * pitches[pitch] }
}
