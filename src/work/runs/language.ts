const arabic = /\p{Script=Arabic}/u
const letter = /\p{L}/u

/**
 * The language that a task is written in, by its letters. A Persian sentence may hold more Latin names than Persian words, an English
 * one hardly more than a Persian name: the third part of the letters decides.
 */
export function languageOfText(text: string): 'fa' | 'en' {
  let persian = 0
  let others = 0
  for (const character of text) {
    if (!letter.test(character)) continue
    if (arabic.test(character)) persian++
    else others++
  }
  return persian > 0 && persian * 2 >= others ? 'fa' : 'en'
}
