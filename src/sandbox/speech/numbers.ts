/** Numbers in words, of either language; the words are spelled as the lexicon and the rules of that language read them. */
export interface NumberWords {
  readonly zero: string
  readonly minus: string
  readonly point: string
  readonly percent: string
  /** A whole number up to 10^15, from 1. */
  readonly whole: (value: number) => string[]
  /** Digits after the point: read one by one in English, as a number in Persian. */
  readonly fraction: (digits: string) => string[]
}

const maxValue = 1e15
const scales = [1e12, 1e9, 1e6, 1e3]

/** The Persian words, as phonemes since each is certain: no word of numbers is looked up. */
const fa = {
  units: 'sefr yek do se cahAr panj SeS haft haSt noh dah yAzdah davAzdah sizdah cahArdah pAnzdah SAnzdah hefdah hejdah nuzdah'.split(' '),
  tens: 'bist si cehel panjAh Sast haftAd haStAd navad'.split(' '),
  hundreds: 'sad devist sisad cahArsad pAnsad SeSsad haftsad haStsad nohsad'.split(' '),
  scales: ['tirilyArd', 'milyArd', 'milyun', 'hezAr'],
} // biome-ignore format: tables of words

const en = {
  units: 'ziro w@n tu Tri for fayv siks sev@n eyt nayn ten ilev@n twelv T@rtin fortin fiftin sikstin sev@ntin eytin nayntin'.split(' '),
  tens: 'twenti T@rti forti fifti siksti sev@nti eyti naynti'.split(' '),
  scales: ['trily@n', 'bily@n', 'mily@n', 'TAwz@nd'],
} // biome-ignore format: tables of words

export const persianNumbers: NumberWords = {
  zero: fa.units[0]!,
  minus: 'manfi',
  point: 'momayyez',
  percent: 'darsad',
  whole: (value) => joinPersian(persianParts(value)),
  fraction: (digits) => {
    const zeros = /^0*/.exec(digits)![0].length
    const rest = digits.slice(zeros)
    return [...Array(zeros).fill(fa.units[0]!), ...(rest ? readWhole(rest, persianNumbers) : [])]
  },
}

export const englishNumbers: NumberWords = {
  zero: en.units[0]!,
  minus: 'mayn@s',
  point: 'poynt',
  percent: 'p@rsent',
  whole: englishWhole,
  fraction: (digits) => [...digits].map((digit) => en.units[Number(digit)]!),
}

/** The words of a number whose digits are Latin and ungrouped, with a point at most; numbers past 10^15 are read digit by digit. */
export function readNumber(digits: string, words: NumberWords): string[] {
  const [whole = '', fraction] = digits.split('.')
  const said = readWhole(whole, words)
  return fraction === undefined ? said : [...said, words.point, ...words.fraction(fraction.slice(0, 40))]
}

function readWhole(digits: string, words: NumberWords): string[] {
  const value = Number(digits)
  const isTelephone = digits.length > 2 && digits.startsWith('0')
  if (value > maxValue || digits.length > 16 || isTelephone)
    return [...digits].flatMap((digit) => (digit === '0' ? [words.zero] : words.whole(Number(digit))))
  return value === 0 ? [words.zero] : words.whole(value)
}

/** Parts that are joined by `o` («بیست و پنج»); a scale stands with its own count. */
function persianParts(value: number): string[][] {
  for (const [at, scale] of scales.entries()) {
    if (value < scale) continue
    const count = Math.floor(value / scale)
    const head = count === 1 && scale === 1e3 ? [] : joinPersian(persianParts(count))
    return [[...head, fa.scales[at]!], ...persianParts(value % scale)]
  }
  if (value >= 100) return [[fa.hundreds[Math.floor(value / 100) - 1]!], ...persianParts(value % 100)]
  if (value >= 20) return [[fa.tens[Math.floor(value / 10) - 2]!], ...persianParts(value % 10)]
  return value > 0 ? [[fa.units[value]!]] : []
}

const joinPersian = (parts: string[][]): string[] => parts.flatMap((part, at) => (at ? ['o', ...part] : part))

function englishWhole(value: number): string[] {
  for (const [at, scale] of scales.entries()) {
    if (value >= scale)
      return [...englishWhole(Math.floor(value / scale)), en.scales[at]!, ...englishRest(value % scale)]
  }
  if (value >= 100) return [...englishWhole(Math.floor(value / 100)), 'h@ndr@d', ...englishRest(value % 100)]
  if (value >= 20) return [en.tens[Math.floor(value / 10) - 2]!, ...englishRest(value % 10)]
  return [en.units[value]!]
}

const englishRest = (value: number): string[] => (value > 0 ? englishWhole(value) : [])
