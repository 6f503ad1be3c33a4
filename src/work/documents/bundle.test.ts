import { createHash } from 'node:crypto'
import { crc32, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { type BundledFile, manifestOf, pathFault, zip } from './bundle.ts'

const file = (path: string, text = path, mediaType = 'text/plain'): BundledFile => ({
  path,
  mediaType,
  bytes: Buffer.from(text),
})
const noon = Date.UTC(2026, 10, 20, 8, 30)

/** Reads a ZIP by the specification (APPNOTE 4.3): names, times and contents by the central directory. */
function unzip(archive: Uint8Array) {
  const bytes = Buffer.from(archive)
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  let at = bytes.readUInt32LE(end + 16)
  return Array.from({ length: bytes.readUInt16LE(end + 10) }, () => {
    const [flags, method, time, date] = [8, 10, 12, 14].map((offset) => bytes.readUInt16LE(at + offset))
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.subarray(at + 46, at + 46 + nameLength)
    const local = bytes.readUInt32LE(at + 42)
    const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const packed = bytes.subarray(data, data + bytes.readUInt32LE(at + 20))
    const content = method === 8 ? inflateRawSync(packed) : packed
    expect(crc32(content)).toBe(bytes.readUInt32LE(at + 16))
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
    const ascii = name.every((byte) => byte < 128)
    expect(Boolean(flags! & 0x800) || ascii).toBe(true)
    const day = [1980 + (date! >> 9), (date! >> 5) & 15, date! & 31, time! >> 11, (time! >> 5) & 63]
    return { name: name.toString('utf8'), method, day, text: content.toString('utf8') }
  })
}

test('Persian names, folders and contents come out as they went in, at the time of Tehran', async () => {
  const archive = await zip(
    [file('گزارش\u200cها/نتیجه.md', 'متن'.repeat(500)), file('a.pdf', '%PDF', 'application/pdf')],
    noon,
  )
  expect(unzip(archive)).toEqual([
    { name: 'گزارش\u200cها/نتیجه.md', method: 8, day: [2026, 11, 20, 12, 0], text: 'متن'.repeat(500) },
    { name: 'a.pdf', method: 0, day: [2026, 11, 20, 12, 0], text: '%PDF' },
  ])
})

test('the same files make the same archive, also large ones', async () => {
  const files = [file('a.csv', 'x,y\r\n'.repeat(100_000)), file('b/__proto__', 'b')]
  const archive = await zip(files, noon)
  expect(Buffer.from(await zip(files, noon)).equals(archive)).toBe(true)
  expect(unzip(archive).map(({ name, text }) => [name, text.length])).toEqual([
    ['a.csv', 500_000],
    ['b/__proto__', 1],
  ])
})

test.each([
  '',
  '/etc/passwd',
  '../a',
  'a/../b',
  'a//b',
  './a',
  'a/',
  'C:\\a',
  'a\\b',
  'a\0b',
  'a\nb',
  'a.',
  ' a',
  'nul',
  'COM¹',
  'aux .txt',
  '__proto__',
  'con.txt',
  'a\u202egpj.exe',
  'e\u0301',
  'x'.repeat(241),
  '\ud800',
])('the path %j cannot be bundled', async (path) => {
  expect(pathFault(path)).toBeTypeOf('string')
  await expect(async () => zip([file(path)], noon)).rejects.toThrow(RangeError)
  expect(() => manifestOf([file(path)])).toThrow(RangeError)
})

test('no path stands twice, also in capitals, and none is a file and a folder', async () => {
  for (const paths of [
    ['a', 'a'],
    ['a.md', 'A.MD'],
    ['a', 'a/b'],
    ['x/a/b', 'X/A'],
  ])
    await expect(async () =>
      zip(
        paths.map((path) => file(path)),
        noon,
      ),
    ).rejects.toThrow(RangeError)
})

test('any path that passes is unpacked where it says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 6 }),
      async (paths) => {
        const good = paths.filter((path) => pathFault(path) === undefined && !path.includes('/'))
        const unique = [...new Map(good.map((path) => [path.toLowerCase(), path])).values()]
        const archive = await zip(
          unique.map((path) => file(path)),
          noon,
        )
        expect(
          unzip(archive)
            .map(({ name }) => name)
            .sort(),
        ).toEqual([...unique].sort())
      },
    ),
    { numRuns: 50 },
  )
})

test('the manifest says what is in it', () => {
  const report = { ...file('گزارش.md', 'سلام', 'text/markdown'), title: 'گزارش' }
  expect(manifestOf([report, file('b')])).toEqual({
    files: [
      {
        path: 'گزارش.md',
        media_type: 'text/markdown',
        bytes: 8,
        sha256: createHash('sha256').update('سلام').digest('hex'),
        title: 'گزارش',
      },
      { path: 'b', media_type: 'text/plain', bytes: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ],
  })
})
