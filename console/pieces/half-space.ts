/** The half-space (U+200C) of Persian, for layouts that have no key for it. */
import type { Direction } from '../words/direction.ts'

export const halfSpace = '\u200c'

interface Keys {
  key: string
  code: string
  shiftKey: boolean
  ctrlKey: boolean
  altKey: boolean
  metaKey: boolean
}

/** Whether keys ask for a half-space: Shift+Space or Ctrl+Shift+2. Where the layout gives one itself the key is that sign, and it is left alone. */
export function asksHalfSpace({ key, code, shiftKey, ctrlKey, altKey, metaKey }: Keys): boolean {
  if (!shiftKey || altKey || metaKey || key === halfSpace) return false
  return ctrlKey ? code === 'Digit2' : code === 'Space'
}

const strong = /[\p{L}]/u
const rtl = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** The direction of the line at `at`, as a text field with `dir=auto` shows it: that of its first letter; without letters `before`. */
export function directionOfLine(text: string, at: number, before: Direction): Direction {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  const first = strong.exec(text.slice(start, end < 0 ? undefined : end))?.[0]
  if (first === undefined) return before
  return rtl.test(first) ? 'rtl' : 'ltr'
}

/** What the keys insert in place of the text from `start` to `end`: a half-space in a line from right to left, nothing beside another one, else a space. */
export function spaceFor(text: string, start: number, end: number, before: Direction): string {
  if (directionOfLine(text, start, before) === 'ltr') return ' '
  return text[start - 1] === halfSpace || text[end] === halfSpace ? '' : halfSpace
}

/**
 * Inserts a text at the caret as if it were typed. `insertText` is the only way that the browser can undo: a value or a range that is set takes the
 * steps before it away. It is called old, and every browser has it; where one refuses, the range is set all the same.
 */
export function insertAtCaret(area: HTMLTextAreaElement, text: string): void {
  area.focus()
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }))
}
