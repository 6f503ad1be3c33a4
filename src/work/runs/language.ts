const arabic = /\p{Script=Arabic}/u
const letter = /\p{L}/u

/**
 * The language of a task, by its letters. A Persian sentence may contain more Latin names than Persian words, an English one hardly more than a
 * Persian name: a text is Persian if at least a third of its letters are.
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
