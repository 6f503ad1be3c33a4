import { englishWords } from './lexicon.ts'

/**
 * English letters to phonemes (`phonemes.ts`) by the longest rule that fits at each letter, after the manner of H. S. Elovitz and others,
 * "Letter-to-sound rules for automatic translation of English text to phonetics" (1976), much shortened. Capitals are spelt.
 */
export function englishPhonemes(word: string): string {
  const letters = word.normalize('NFD').replaceAll(/[^A-Za-z]/g, '')
  const isSpelt = letters.length > 1 && letters.length <= 5 && letters === letters.toUpperCase()
  const lower = letters.toLowerCase()
  if (isSpelt || (lower.length === 1 && lower !== 'a' && lower !== 'i'))
    return [...lower].map((letter) => names[letter]!).join('')
  return englishWords.get(lower) ?? byRules(lower)
}

const names: Record<string, string> = {
  a: 'ey', b: 'bi', c: 'si', d: 'di', e: 'i', f: 'ef', g: 'ji', h: 'eyc', i: 'Ay', j: 'jey', k: 'key', l: 'el', m: 'em', n: 'en', o: 'ow', p: 'pi', q: 'kyu', r: 'Ar', s: 'es', t: 'ti', u: 'yu', v: 'vi', w: 'd@bly@', x: 'eks', y: 'wAy', z: 'zi',
} // biome-ignore format: a table of letters

const rules: Record<string, string> = {
  tion: 'S@n', sion: 'Z@n', ture: 'c@r', ight: 'Ayt', ough: 'ow', augh: 'o', ious: 'y@s', tch: 'c', sch: 'sk', igh: 'Ay', eer: 'ir', ear: 'ir', air: 'er', are: 'er', ore: 'or', our: 'or', ous: '@s', dge: 'j', all: 'ol',
  th: 'T', sh: 'S', ch: 'c', ph: 'f', gh: 'g', ck: 'k', ng: 'N', qu: 'kw', wh: 'w', kn: 'n', wr: 'r', ee: 'i', ea: 'i', oo: 'u', ou: 'Aw', ow: 'ow', ai: 'ey', ay: 'ey', oa: 'ow', oi: 'oy', oy: 'oy', au: 'o', aw: 'o', ew: 'yu', ie: 'i', ey: 'i', ue: 'u', ui: 'u',
  er: '@r', ir: '@r', ur: '@r', ar: 'Ar', or: 'or', ce: 'se', ci: 'si', cy: 'si', ge: 'je', gi: 'ji', le: '@l', bb: 'b', dd: 'd', ff: 'f', gg: 'g', ll: 'l', mm: 'm', nn: 'n', pp: 'p', rr: 'r', ss: 's', tt: 't', zz: 'z',
  a: 'a', b: 'b', c: 'k', d: 'd', e: 'e', f: 'f', g: 'g', h: 'h', i: 'i', j: 'j', k: 'k', l: 'l', m: 'm', n: 'n', o: 'A', p: 'p', q: 'k', r: 'r', s: 's', t: 't', u: '@', v: 'v', w: 'w', x: 'ks', y: 'y', z: 'z',
} // biome-ignore format: a table of rules
const longVowels: Record<string, string> = { a: 'ey', e: 'i', i: 'Ay', o: 'ow', u: 'yu', y: 'Ay' }
const softened: Record<string, string> = { c: 's', g: 'j' }

function byRules(word: string): string {
  let said = ''
  for (let at = 0; at < word.length; ) {
    const rest = word.length - at
    const letter = word[at]!
    const silentE = word[at + 2] === 'e' && (rest === 3 || (rest === 4 && /[sd]/.test(word[at + 3]!)))
    if (longVowels[letter] && silentE && /[b-df-hj-np-tvz]/.test(word[at + 1]!)) {
      said += longVowels[letter]! + (softened[word[at + 1]!] ?? rules[word[at + 1]!]!)
      if (rest === 4) said += word[at + 3] === 's' ? 's' : 'd'
      return said
    }
    if (letter === 'e' && rest === 1 && /[Aaeiou@]/.test(said)) return said
    if (letter === 'y' && rest === 1) return said + (/[Aaeiou@]/.test(said) ? 'i' : 'Ay')
    const size = [4, 3, 2, 1].find((length) => length <= rest && fits(word, at, length))!
    said += rules[word.slice(at, at + size)]!
    at += size
  }
  return said
}

/** Whether a rule fits here. `le` is a syllable after a consonant at the end only; `ce` and `ge` lose their silent e there. */
function fits(word: string, at: number, size: number): boolean {
  const part = word.slice(at, at + size)
  if (part === 'le') return at > 1 && at + 2 === word.length && !/[aeiou]/.test(word[at - 1]!)
  if ((part === 'are' || part === 'ore') && at + 3 !== word.length) return false
  return rules[part] !== undefined
}
