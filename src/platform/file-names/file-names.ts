/** Names under which every system can save a file, and what comes closest to them in ASCII. */
import { inLatinLetters } from '#platform/words'

/**
 * Characters that change the direction of the text after them (UAX 9): with one of them `…gnp.exe` is shown as `…exe.png`. Marks and joiners are
 * kept.
 */
const turning = /[\u202a-\u202e\u2066-\u2069]/g
/** Characters that Windows refuses in the name of a file, with blanks of all kinds. */
const unsavable = /[\p{Cc}\s<>:"/\\|?*]+/gu
/** File systems take 255 bytes; a browser adds a number or an ending of its own. */
const maxNameBytes = 240
const standInStem = 'file'

/** The name under which every system can save the file. Of a name that is too long the end is cut, before the ending. */
export function savableName(fileName: string): string {
  const name = trimmed(fileName.toWellFormed().replace(turning, '').replace(unsavable, ' '))
  const { stem, ending } = splitName(name)
  return joined(trimmed(cut(stem, maxNameBytes - ending.length)) || standInStem, ending)
}

/**
 * A savable name in ASCII: Persian letters become Latin ones, and whatever else is no letter, digit or plain sign becomes a hyphen. A name that is in
 * ASCII already stays as it is, unless it has a percent sign, which some clients decode.
 */
export function asciiName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name) && !name.includes('%')) return name
  const { stem, ending } = splitName(name)
  const plain = inLatinLetters(stem)
    .replace(/[^\w.()+@-]+/g, '-')
    .replace(/^[-.]+/, '')
    .replace(/(?<![-.])[-.]+$/, '')
  return joined(plain || standInStem, ending)
}

/** Whether Windows takes the name for that of a device, such as `CON` or `con.txt`. */
export const isDeviceName = (name: string): boolean =>
  /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *(?:\.|$)/i.test(name)

function splitName(name: string): { stem: string; ending: string } {
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
  return { stem: name.slice(0, name.length - ending.length), ending }
}

const joined = (stem: string, ending: string): string => `${isDeviceName(stem) ? '_' : ''}${stem}${ending}`

/** Windows drops blanks and dots at the end of a name. */
const trimmed = (text: string): string => text.trim().replace(/(?<![. ])[. ]+$/, '')

/** The beginning of a text that has so many bytes in UTF-8. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0
  let length = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) return text.slice(0, length)
    length += character.length
  }
  return text
}
