import { persianWords } from './lexicon.ts'

/**
 * Persian letters to phonemes (`phonemes.ts`). Short vowels that are written are read. A word without them is looked up in the lexicon, by itself or
 * without its endings, and any other word gets default vowels, so that every word can be said.
 */
export function persianPhonemes(word: string): string {
  const letters = unify(word)
  const parts = letters.split('\u200c').filter(Boolean)
  const whole = parts.join('')
  const known = persianWords.get(whole)
  if (known !== undefined) return known
  if (parts.length > 1) return parts.reduce((said, part, at) => said + readPart(part, at, said), '')
  return readStem(whole)
}

const twins: Record<string, string> = {
  ي: 'ی',
  ى: 'ی',
  ئ: 'ئ',
  ك: 'ک',
  ة: 'ه',
  ۀ: 'هٔ',
  أ: 'أ',
  إ: 'ا',
  ٱ: 'ا',
}

/** Gives letters that look alike one spelling: Arabic ya and kaf become Persian, and decoration is removed. */
function unify(word: string): string {
  return word
    .normalize('NFC')
    .replace(/[يىكةۀإٱ]/g, (letter) => twins[letter]!)
    .replaceAll('ـ', '')
}

/** Parts of words after a half-space, which are mostly endings: کتاب‌ها، خسته‌ام، خانه‌ی. */
const joined: Record<string, string> = {
  ها: 'hA', های: 'hAye', هایی: "hA'i", هایم: 'hAyam', هایت: 'hAyat', هایش: 'hAyaS', هایمان: 'hAyemAn', هایشان: 'hAyeSAn', هایتان: 'hAyetAn', ام: 'am', ات: 'at', اش: 'aS', ای: 'i', ایم: 'im', اید: 'id', اند: 'and',
  ی: 'ye', تر: 'tar', ترین: 'tarin', مان: 'emAn', تان: 'etAn', شان: 'eSAn', ست: 'st', گاه: 'gAh', ساز: 'sAz', پذیر: 'pazir', کننده: 'konande',
} // biome-ignore format: a table of endings

function readPart(part: string, at: number, said: string): string {
  if (at === 0) return readStem(part)
  const ending = joined[part]
  if (ending === undefined) return afterPrefix(said, readStem(part))
  const startsWithVowel = /^[aei]/.test(ending)
  return startsWithVowel && /[Aaeiou]$/.test(said) ? `'${ending}` : ending
}

/** Endings that are written without a space, the longest first; those of one letter count after known words only. */
const endings: [string, string][] = [
  ['هایمان', 'hAyemAn'], ['هایشان', 'hAyeSAn'], ['هایم', 'hAyam'], ['هایش', 'hAyaS'], ['هایی', "hA'i"], ['های', 'hAye'], ['ها', 'hA'], ['ترین', 'tarin'], ['تر', 'tar'], ['مان', 'emAn'], ['تان', 'etAn'], ['شان', 'eSAn'],
  ['ید', 'id'], ['یم', 'im'], ['ند', 'and'], ['ان', 'An'], ['ی', 'i'], ['م', 'am'], ['ت', 'at'], ['ش', 'aS'],
] // biome-ignore format: a table of endings
const prefixes: [string, string][] = [
  ['نمی', 'nemi'],
  ['می', 'mi'],
  ['بی', 'bi'],
  ['هم', 'ham'],
  ['ب', 'be'],
  ['ن', 'na'],
]

function readStem(word: string): string {
  const known = persianWords.get(word)
  if (known !== undefined) return known
  for (const [letters, phonemes] of endings) {
    const stem = word.endsWith(letters) && persianWords.get(word.slice(0, -letters.length))
    if (stem && word.length - letters.length > 1) {
      if (!/[Aaeiou]$/.test(stem)) return stem + phonemes
      if (letters === 'ی' && /[Au]$/.test(stem)) return `${stem}ye`
      if (letters.startsWith('ه') || letters.startsWith('ت')) return stem + phonemes
    }
  }
  for (const [letters, phonemes] of prefixes) {
    const stem = word.startsWith(letters) && persianWords.get(word.slice(letters.length))
    if (stem && word.length - letters.length > 1) return phonemes + afterPrefix(phonemes, stem)
  }
  return readCompound(word) ?? addVowels(readLetters(word))
}

/** Joins a stem to a prefix. Between i and another vowel stands y: می‌آید is said miyAyad. */
const afterPrefix = (said: string, stem: string): string =>
  said.endsWith('i') && /^[Aaeiou]/.test(stem) ? `y${stem}` : stem

/** Reads two known words that are written as one: پدربزرگ. */
function readCompound(word: string): string | undefined {
  for (let at = 3; at <= word.length - 3; at += 1) {
    const first = persianWords.get(word.slice(0, at))
    const second = first && persianWords.get(word.slice(at))
    if (second) return first + second
  }
  return undefined
}

const consonants: Record<string, string> = {
  ب: 'b', پ: 'p', ت: 't', ث: 's', ج: 'j', چ: 'c', ح: 'h', خ: 'x', د: 'd', ذ: 'z', ر: 'r', ز: 'z', ژ: 'Z', س: 's', ش: 'S', ص: 's', ض: 'z', ط: 't', ظ: 'z', غ: 'q', ف: 'f', ق: 'q', ک: 'k', گ: 'g', ل: 'l', م: 'm', ن: 'n', ه: 'h',
  ع: "'", ء: "'", ئ: "'", ؤ: "'", أ: "'",
} // biome-ignore format: a table of letters
const marks: Record<string, string> = { 'َ': 'a', 'ِ': 'e', 'ُ': 'o', 'ً': 'an', 'ٍ': 'en', 'ٌ': 'on' }
const fatha = '\u064e'
const sukun = '\u0652'
const shadda = '\u0651'

/** Reads letters as phonemes, without the vowels that are not written; `.` closes a consonant that has sukun, after which no vowel is added. */
function readLetters(word: string): string {
  let said = ''
  for (let at = 0; at < word.length; at += 1) {
    const letter = word[at]!
    const next = word[at + 1]
    if (letter === shadda) said = doubled(said)
    else if (marks[letter])
      said += isVowelEnd(said) && !said.endsWith('V') ? glide(said) + marks[letter] : marks[letter]
    else if (letter === sukun) said += '.'
    else if (letter === 'ٔ') said += isVowelEnd(said) ? 'ye' : "'"
    else if (letter === 'خ' && next === 'و' && word[at + 2] === 'ا') {
      said += 'xA'
      at += 2
    } else if ('اآویه'.includes(letter)) said += readWeak(letter, said, word, at)
    else said += consonants[letter] ?? ''
  }
  return said
}

const isVowelEnd = (said: string): boolean => /[Aaeiou]$/.test(said)
const glide = (said: string): string => (/[ie]$/.test(said) ? 'y' : /[Aou]$/.test(said) ? 'y' : '')

/** Applies tashdid, which doubles the consonant before it, over a short vowel that was typed first. */
function doubled(said: string): string {
  const vowel = /[aeo]$/.test(said) ? said.at(-1)! : ''
  const stem = vowel ? said.slice(0, -1) : said
  return stem + (stem.at(-1) ?? '') + vowel
}

/** Reads alef, vav, ya and he, which are a vowel or a consonant depending on the letters around them. */
function readWeak(letter: string, said: string, word: string, at: number): string {
  const next = word[at + 1]
  const isLast = next === undefined || next === 'ٔ'
  const afterVowel = isVowelEnd(said)
  if (letter === 'آ') return afterVowel ? "'A" : 'A'
  if (letter === 'ا') {
    if (said === '') return next !== undefined && ('ویا'.includes(next) || marks[next]) ? '' : 'a'
    return said.endsWith('a') && word[at - 1] === fatha ? '\bA' : afterVowel ? 'yA' : 'A'
  }
  if (letter === 'ه') return isLast && !afterVowel && said.length > 0 ? 'e' : 'h'
  const beforeVowel =
    next !== undefined && ('اآ'.includes(next) || marks[next] !== undefined || next === shadda)
  if (letter === 'و') {
    if (word[at - 1] === '\u064f') return ''
    if (said === '') return word[0] === 'ا' ? 'u' : 'v'
    return beforeVowel || afterVowel || next === 'ی' ? 'v' : 'u'
  }
  if (said === '') return word[0] === 'ا' ? 'i' : 'y'
  if (word[at - 1] === '\u0650') return isLast || !beforeVowel ? '\bi' : 'y'
  return afterVowel ? 'y' : beforeVowel ? 'iy' : 'i'
}

/** Consonants that may close a word together after a long vowel: دوست، ساخت، کارد. */
const closing = /^(st|xt|St|ft|rd|nd|rs|rt|nk|ng)$/

/** Adds default vowels between consonants that Persian cannot say together: syllables are CV, CVC and, at the end of a word, CVCC. */
function addVowels(spelled: string): string {
  let said = ''
  let rest = spelled
  while (rest.includes('\b')) rest = rest.replaceAll(/.?\b/gs, '')
  for (const [, run = '', vowel = ''] of rest.matchAll(/([^Aaeiou]*)([Aaeiou]?)/g)) {
    if (run || vowel) said += splitConsonants(run, said, vowel)
  }
  return said.replaceAll('.', '')
}

function splitConsonants(run: string, said: string, vowel: string): string {
  const sounds = run.match(/[^.]\.?/g) ?? []
  const onset = vowel ? (sounds.pop() ?? '') : ''
  const isStart = said === ''
  if (vowel === '') joinClosing(sounds, isStart ? 4 : 3)
  if (vowel === '' && isStart && sounds.length === 1) return `${run}e`
  const isClosed = sounds.length === 2 && vowel === '' && !isStart
  if (isClosed && (closing.test(bare(sounds.join(''))) || !/[Aiu]$/.test(said))) return sounds.join('')
  let text = !isStart && sounds.length % 2 === 1 ? sounds.shift()! : ''
  while (sounds.length > 0) {
    const filler = `${said}${text}`.endsWith('A') ? 'e' : 'a'
    const first = sounds.shift()!
    const isOpen = sounds.length > 0 || vowel !== ''
    text += first + (isOpen && !first.endsWith('.') ? filler : '') + (sounds.shift() ?? '')
  }
  return text + onset + vowel
}

const bare = (sounds: string): string => sounds.replaceAll('.', '')

/** Makes one of two consonants that may close a word: دانشمند is said dAneSmand. */
function joinClosing(sounds: string[], from: number): void {
  if (sounds.length < from || !closing.test(bare(sounds.slice(-2).join('')))) return
  sounds.push(sounds.splice(-2).join(''))
}
