import { expect, test } from 'vitest'
import { asksHalfSpace, halfSpace, spaceFor } from './half-space.ts'

const none = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false }

test.each([
  ['Shift+Space', { key: ' ', code: 'Space', shiftKey: true }, true],
  ['Ctrl+Shift+2', { key: '@', code: 'Digit2', shiftKey: true, ctrlKey: true }, true],
  ['Ctrl+Shift+2 of a Persian layout', { key: '٬', code: 'Digit2', shiftKey: true, ctrlKey: true }, true],
  ['Shift+Space of a layout that gives it', { key: halfSpace, code: 'Space', shiftKey: true }, false],
  ['a space', { key: ' ', code: 'Space' }, false],
  ['Shift+2', { key: '@', code: 'Digit2', shiftKey: true }, false],
  ['Ctrl+Shift+Space', { key: ' ', code: 'Space', shiftKey: true, ctrlKey: true }, false],
  ['Alt+Shift+Space', { key: ' ', code: 'Space', shiftKey: true, altKey: true }, false],
])('%s: %o', (_name, keys, asks) => {
  expect(asksHalfSpace({ ...none, ...keys })).toBe(asks)
})

test.each([
  ['می|', 'rtl', halfSpace],
  ['می|', 'ltr', halfSpace],
  ['می\u200c|', 'rtl', ''],
  ['می|\u200cخواهم', 'rtl', ''],
  ['hello|', 'rtl', ' '],
  ['سلام\nhello|', 'rtl', ' '],
  ['hello\nسلام|\nhello', 'ltr', halfSpace],
  ['12|', 'rtl', halfSpace],
  ['|', 'ltr', ' '],
])('at the bar of %j in a page that runs %s', (marked, direction, space) => {
  const at = marked.indexOf('|')
  expect(spaceFor(marked.replace('|', ''), at, at, direction as 'rtl' | 'ltr')).toBe(space)
})
