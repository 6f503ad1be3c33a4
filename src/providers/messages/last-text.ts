import { isRecord } from '#providers/kit'

/**
 * The messages without blanks at their end where the last one is the assistant's, which the model continues: this wire refuses them ("final assistant
 * content cannot end with trailing whitespace"). Only texts at the very end are cut; a block or a message of which nothing is left is left out.
 * Whatever is no list of messages is returned as it is.
 */
export function withoutLastBlanks(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages
  const last: unknown = messages.at(-1)
  if (!isRecord(last) || last['role'] !== 'assistant') return messages
  const own = last['content']
  const content = typeof own === 'string' ? cutText(own) : Array.isArray(own) ? cutBlocks(own) : own
  if (content === own) return messages
  const isEmpty = (content as string | unknown[]).length === 0
  return isEmpty ? messages.slice(0, -1) : messages.with(-1, { ...last, content })
}

function cutBlocks(blocks: unknown[]): unknown[] {
  let count = blocks.length
  for (; count > 0; count--) {
    const block = blocks[count - 1]
    if (!isRecord(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') break
    const text = cutText(block['text'])
    if (text !== '' && text !== block['text']) return [...blocks.slice(0, count - 1), { ...block, text }]
    if (text !== '') break
  }
  return count === blocks.length ? blocks : blocks.slice(0, count)
}

function cutText(text: string): string {
  let end = text.length
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(0, end)
}

/** Blanks outside ASCII and the row of U+2000, as `/\s/` has them; asking it for each of a million characters takes 0.1 s. */
const wideBlanks = new Set([0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff])

/** What the vendor's Python takes for a blank: beside those of JavaScript the separators of ASCII, and U+0085. */
const isBlank = (code: number): boolean =>
  code < 0x80
    ? code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x1f)
    : (code >= 0x2000 && code <= 0x200a) || wideBlanks.has(code)
