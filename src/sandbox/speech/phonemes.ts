/**
 * The phonemes, one ASCII character each:
 *
 * | | |
 * |---|---|
 * | vowels | `A` آ, `a` فتحه, `e` کسره, `i` ایـ, `o` ضمه, `u` او; English also `@` (a in about) |
 * | stops | `p b t d k g q` (ق and غ are one sound in Tehran), `'` ع and همزه |
 * | affricates | `c` چ, `j` ج |
 * | fricatives | `f v s z S` ش `Z` ژ `x` خ `h`; English also `T` (thin), `D` (then) |
 * | others | `m n l r y` ی; English also `w`, `N` (sing) |
 *
 * Formants of the vowels are rounded means of men from studies of Tehran Persian (Ansarin 2004; Aronow, McHugh and Molnar 2017);
 * those of the consonants follow table III of D. H. Klatt, "Software for a cascade/parallel formant synthesizer" (1980), with Persian's
 * clear l, tapped r, and uvulars added. Frequencies and bandwidths are in Hz, durations in ms, levels in dB below the loudest vowel.
 */
export interface Phoneme {
  readonly kind: 'vowel' | 'stop' | 'affricate' | 'fricative' | 'nasal' | 'approximant' | 'glottal'
  readonly ms: number
  readonly formants: readonly [number, number, number]
  readonly bandwidths: readonly [number, number, number]
  /** The level of the voiced sound; absent where there is none. */
  readonly voicedDb?: number
  /** The resonances of the noise, which replaces the voice or joins it. */
  readonly noise?: readonly Noise[]
  /** How far its formants prevail over a vowel's at their common border, from 0 to 1. */
  readonly strength: number
}

export interface Noise {
  readonly hz: number
  readonly bandwidthHz: number
  readonly db: number
}

type Triple = readonly [number, number, number]
const vowel = (ms: number, formants: Triple, voicedDb = 0): Phoneme => ({
  kind: 'vowel', ms, formants, bandwidths: [80, 90, 110], voicedDb, strength: 0.5,
}) // biome-ignore format: one line of fields

const noise = (hz: number, bandwidthHz: number, db: number): Noise => ({ hz, bandwidthHz, db })
const sibilant = [noise(6200, 1400, -22), noise(4700, 900, -30)]
const hushing = [noise(2700, 500, -20), noise(4000, 900, -24), noise(5600, 1200, -30)]
const flat = [noise(1500, 3000, -41), noise(7000, 5000, -36)]
const uvular = [noise(1350, 350, -22), noise(2500, 700, -32), noise(3600, 900, -36)]
const labialBurst = [noise(900, 1200, -34), noise(2200, 1500, -42)]
const dentalBurst = [noise(3900, 1500, -22), noise(6000, 1800, -24)]
const velarBurst = [noise(2300, 500, -20), noise(3900, 900, -30)]

const consonant = (
  kind: Phoneme['kind'],
  ms: number,
  formants: Triple,
  more: Partial<Phoneme> = {},
): Phoneme => ({ kind, ms, formants, bandwidths: [90, 120, 200], strength: 0.75, ...more })

export const phonemes: Readonly<Record<string, Phoneme>> = {
  A: vowel(135, [620, 1120, 2550]),
  a: vowel(95, [740, 1600, 2450]),
  e: vowel(90, [470, 1880, 2550]),
  i: vowel(115, [280, 2300, 3000], -2),
  o: vowel(92, [450, 900, 2350]),
  u: vowel(115, [320, 880, 2250], -4),
  '@': vowel(75, [520, 1350, 2450], -1),

  p: consonant('stop', 92, [350, 900, 2150], { noise: labialBurst }),
  b: consonant('stop', 75, [220, 900, 2150], { noise: labialBurst, voicedDb: -22 }),
  t: consonant('stop', 92, [350, 1750, 2650], { noise: dentalBurst }),
  d: consonant('stop', 72, [220, 1750, 2650], { noise: dentalBurst, voicedDb: -22 }),
  k: consonant('stop', 95, [320, 1990, 2600], { noise: velarBurst }),
  g: consonant('stop', 78, [230, 1990, 2600], { noise: velarBurst, voicedDb: -22 }),
  q: consonant('stop', 80, [400, 1150, 2350], { noise: uvular, voicedDb: -20 }),
  c: consonant('affricate', 118, [330, 1850, 2700], { noise: hushing }),
  j: consonant('affricate', 92, [250, 1850, 2700], { noise: hushing, voicedDb: -20 }),

  f: consonant('fricative', 100, [340, 1050, 2150], { noise: flat }),
  v: consonant('fricative', 65, [260, 1050, 2150], { noise: flat, voicedDb: -9 }),
  s: consonant('fricative', 112, [320, 1550, 2550], { noise: sibilant }),
  z: consonant('fricative', 80, [250, 1550, 2550], { noise: sibilant, voicedDb: -13 }),
  S: consonant('fricative', 112, [320, 1840, 2700], { noise: hushing }),
  Z: consonant('fricative', 82, [260, 1840, 2700], { noise: hushing, voicedDb: -13 }),
  x: consonant('fricative', 105, [430, 1250, 2400], { noise: uvular }),
  T: consonant('fricative', 90, [330, 1350, 2550], { noise: flat }),
  D: consonant('fricative', 55, [270, 1350, 2550], { noise: flat, voicedDb: -8 }),

  h: consonant('glottal', 65, [500, 1500, 2500], { strength: 0, noise: [] }),
  "'": consonant('glottal', 50, [500, 1500, 2500], { strength: 0, voicedDb: -16 }),

  m: consonant('nasal', 75, [300, 1050, 2150], { voicedDb: -5, bandwidths: [60, 200, 250] }),
  n: consonant('nasal', 70, [300, 1600, 2550], { voicedDb: -5, bandwidths: [60, 250, 300] }),
  N: consonant('nasal', 75, [300, 2000, 2600], { voicedDb: -5, bandwidths: [60, 250, 300] }),
  l: consonant('approximant', 65, [330, 1400, 2750], { voicedDb: -5 }),
  r: consonant('approximant', 48, [430, 1400, 2350], { voicedDb: -7 }),
  y: consonant('approximant', 65, [270, 2150, 2950], { voicedDb: -4 }),
  w: consonant('approximant', 65, [300, 650, 2200], { voicedDb: -4 }),
}

const isOneOf = (set: string) => (symbol: string | undefined) => symbol !== undefined && set.includes(symbol)
export const isVowel = isOneOf('Aaeiou@')
export const isBackVowel = isOneOf('Aou')
