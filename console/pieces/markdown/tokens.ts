/** Texts within a block from right to left that signs would tear apart: `C++`, `-5`, `/v1/chat`, `25%`. */

export interface TextPart {
  text: string
  kind: 'plain' | 'ltr' | 'footnote'
}

const footnote = /\[\^([\w\u0600-\u06ff-]{1,40})\]/
const digits = '\\d\\u06f0-\\u06f9\\u0660-\\u0669'
const apart = new RegExp(
  [
    footnote.source.replace('(', '(?:'),
    // Signs before a word or a number.
    `(?<![\\p{L}${digits}])[-+/.~@#$]{1,2}[A-Za-z${digits}](?:[\\w${digits}./:@+#%,-]{0,200}[\\w${digits}%/])?`,
    // Signs after a word.
    '\\b[A-Za-z]\\w{0,30}(?:\\+\\+|#)',
    `[${digits}][${digits}.,\\u066b\\u066c]{0,40}[%\\u066a]`,
  ].join('|'),
  'gu',
)

/** The parts of a text, which joined again are the text (a footnote's with its brackets). */
export function partsOfText(text: string, isRtl: boolean): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const match of text.matchAll(apart)) {
    const isNote = match[0].startsWith('[^')
    if (!isRtl && !isNote) continue
    if (match.index > at) parts.push({ text: text.slice(at, match.index), kind: 'plain' })
    parts.push({ text: match[0], kind: isNote ? 'footnote' : 'ltr' })
    at = match.index + match[0].length
  }
  if (at < text.length) parts.push({ text: text.slice(at), kind: 'plain' })
  return parts
}
