import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { asciiName, isDeviceName, savableName } from './file-names.ts'

test.each([
  ['report.zip', 'report.zip', 'report.zip'],
  ['گزارش خورشید ماه.zip', 'گزارش خورشید ماه.zip', 'gzarsh-khorshid-mah.zip'],
  ['گزارش: خورشید/ماه.zip', 'گزارش خورشید ماه.zip', 'gzarsh-khorshid-mah.zip'],
  ['می\u200cماه \u202egnp.exe', 'می\u200cماه gnp.exe', 'mi-mah-gnp.exe'],
  ['پروژهٔ «۱۲» (1).tar.gz', 'پروژهٔ «۱۲» (1).tar.gz', 'prozhh-12-(1).tar.gz'],
  ['Résumé 100%.pdf', 'Résumé 100%.pdf', 'Resume-100.pdf'],
  ['报告.pdf', '报告.pdf', 'file.pdf'],
  ['a<b>:"c"\\|?*\r\nd.txt', 'a b c d.txt', 'a b c d.txt'],
  ['con.txt', '_con.txt', '_con.txt'],
  ['LPT¹', '_LPT¹', '_LPT1'],
  ['پرن.md', 'پرن.md', '_prn.md'],
  ['name. . .', 'name', 'name'],
  ['.. / ..', 'file', 'file'],
  ['', 'file', 'file'],
  ['.zip', 'file.zip', 'file.zip'],
  ['\ud800.png', '\ufffd.png', 'file.png'],
])('the name %j is saved as %j, and in ASCII as %j', (name, savable, ascii) => {
  expect(savableName(name)).toBe(savable)
  expect(asciiName(savable)).toBe(ascii)
})

test('a name of a million letters is cut before its ending, between two characters', () => {
  for (const letter of ['x', 'ش', '😀', '"', ' ', '.', '\u202e']) {
    const name = savableName(`${letter.repeat(1_000_000)}.pdf`)
    expect(name.endsWith('.pdf'), letter).toBe(true)
    expect(Buffer.byteLength(name), letter).toBeLessThanOrEqual(240)
    expect(name.isWellFormed(), letter).toBe(true)
  }
})

test('whatever the name, Windows and a header take both forms', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
      const savable = savableName(name)
      for (const form of [savable, asciiName(savable)]) {
        expect(form).not.toMatch(/^$|^\s|[. ]$|[\p{Cc}<>:"/\\|?*]/u)
        expect(isDeviceName(form)).toBe(false)
      }
      expect(asciiName(savable)).toMatch(/^[\x20-\x7e]+$/)
    }),
    { numRuns: 2_000 },
  )
})
