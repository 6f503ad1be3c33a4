import { expect, test } from 'vitest'
import { type PdfTextPiece, textOfPage } from './pdf-lines.ts'

/** Pieces that stand side by side from `x` on, ten points for each character, in visual order from the left. */
function row(y: number, texts: string[], x = 100): PdfTextPiece[] {
  let left = x
  return texts.map((text) => {
    const piece = { text, x: left, y, width: [...text.trimEnd()].length * 10, height: 10 }
    left += [...text].length * 10
    return piece
  })
}

test('Persian in single shapes from the left becomes letters from the right', () => {
  expect(textOfPage(row(700, ['ﻡ', 'ﻼ', 'ﺳ', ' ', 'ﺎ', 'ﯿ', 'ﻧ', 'د']))).toBe('دنیا سلام')
})

test('Latin names and numbers in a Persian line keep their own direction', () => {
  const shown = ['ﻦ', 'ﻣ', ' ', 'Node', '.', 'js', ' ', '24', ' ', 'ﻢ', 'ﻫ']
  const below = row(688, ['ﻡ', 'ﻼ', 'ﺳ', ' ', 'ﺎ', 'ﯿ', 'ﻧ', 'د'])
  expect(textOfPage([...row(700, shown), ...below])).toBe('هم Node.js 24 من\nدنیا سلام')
})

test('English lines stay as they are written, with a space where there is a gap', () => {
  expect(textOfPage([...row(700, ['Hello,']), ...row(700, ['world'], 170)])).toBe('Hello, world')
  expect(textOfPage(row(700, ['Hel', 'lo']))).toBe('Hello')
})

test('a sign over a letter joins that letter, wherever it stands in the file', () => {
  const [heh, other] = row(700, ['ﻪ', 'ن']) as [PdfTextPiece, PdfTextPiece]
  const hamza = { text: ' ٔ', x: heh.x + 2, y: 702, width: 0, height: 10 }
  expect(textOfPage([other, hamza, heh])).toBe('نهٔ')
})

test('lines, paragraphs and columns are distinguished by their baselines', () => {
  const pieces = [row(700, ['one']), row(688, ['two']), row(660, ['three']), row(700, ['column'], 300)].flat()
  expect(textOfPage(pieces)).toBe('one\ntwo\n\nthree\n\ncolumn')
})

test('a page of nothing is empty', () => {
  expect(textOfPage([])).toBe('')
  expect(textOfPage(row(1, ['', ' ']))).toBe('')
})
