/**
 * Removes text that is invisible to people but read by models: control characters, direction overrides, zero-width signs, tag characters and the
 * variation selectors that stand for bytes, in which instructions are hidden. The joiners of Persian and of emoji stay. Space at the ends of lines is
 * removed, and several empty lines become one.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(invisibleCharacters, '')
    .replace(/\r\n?/g, '\n')
    .replace(/(?<![^\S\n])[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const invisibleCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\u200b\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu

/** Whether a text is an existing day such as `2024-05-20`, with or without a time after it. */
export const isDay = (text: string): boolean =>
  text.length <= 40 &&
  /^\d{4}-\d{2}-\d{2}(?:[T ]|$)/.test(text) &&
  !Number.isNaN(Date.parse(text.slice(0, 10)))
