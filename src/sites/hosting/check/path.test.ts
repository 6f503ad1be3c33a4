import { describe, expect, test } from 'vitest'
import fc, { anyCharacter } from '../../../../tests/harness/fast-check.ts'
import { foldPath, PathSet, pathFault } from './path.ts'

describe('a path of a file', () => {
  test.each([
    'index.html',
    'a/b/c.txt',
    'برگه‌ها/درباره.html',
    'عکس‌های من/گربه 😺.png',
    '👨‍👩‍👧.svg',
    '.well-known/security.txt',
    '.well-known/acme-challenge/x',
    '100%.html',
    'a%2.html',
    'what?.html',
    'a#b.html',
    'a b.html',
    'a..b/c...html',
    'node_modules.html',
    'x/my_node_modules/y',
    'a'.repeat(255),
    `${'آ'.repeat(127)}a`,
    `${`${'a'.repeat(255)}/`.repeat(4)}`.slice(0, 1_023),
    `${'a'.repeat(255)}/${'b'.repeat(255)}/${'c'.repeat(255)}/${'d'.repeat(253)}/ee`.slice(0, 1_024),
  ])('may be %j', (path) => {
    expect(pathFault(path)).toBeUndefined()
  })

  test.each([
    ['', 'empty'],
    ['/index.html', 'absolute'],
    ['/', 'absolute'],
    ['//a', 'absolute'],
    ['a//b', 'emptySegment'],
    ['a/', 'emptySegment'],
    ['.', 'dots'],
    ['..', 'dots'],
    ['a/../b', 'dots'],
    ['./a', 'dots'],
    ['a/.', 'dots'],
    ['.git/config', 'hidden'],
    ['a/.env', 'hidden'],
    ['...', 'hidden'],
    ['.well-known', 'hidden'],
    ['a/.well-known/x', 'hidden'],
    ['.well-known/.x', 'hidden'],
    ['.Well-known/x', 'hidden'],
    ['a\\b', 'backslash'],
    ['..\\..\\windows', 'backslash'],
    ['a\0b', 'control'],
    ['a\nb', 'control'],
    ['a\u007fb', 'control'],
    ['a\u0085b', 'control'],
    ['a\u2028b', 'control'],
    ['a\u2029b', 'control'],
    ['gpj.\u202eexe', 'direction'],
    ['a\u2066b', 'direction'],
    ['a\u200eb', 'direction'],
    ['a\u061cb', 'direction'],
    ['a\ud800b', 'surrogate'],
    ['\udc00', 'surrogate'],
    ['a%20b', 'escape'],
    ['%2e%2e/x', 'escape'],
    ['%2E', 'escape'],
    ['a%2fb', 'escape'],
    ['e\u0301.html', 'composed'],
    ['\u0627\u0653.html', 'composed'],
    ['\u212b.html', 'composed'],
    ['node_modules/x.js', 'dependencies'],
    ['a/node_modules/x.js', 'dependencies'],
    ['a/Node_Modules/x.js', 'dependencies'],
    ['bower_components/x', 'dependencies'],
    ['jspm_packages/x', 'dependencies'],
    ['a/node_modules', 'dependencies'],
    ['a'.repeat(256), 'longSegment'],
    ['آ'.repeat(128), 'longSegment'],
    [`${'a/'.repeat(512)}a`, 'long'],
    ['آ'.repeat(513), 'long'],
    ['x'.repeat(1_000_000), 'long'],
  ] as const)('is not %j: %s', (path, fault) => {
    expect(pathFault(path)).toBe(fault)
  })

  /** Letters of which hostile and harmless paths are made. */
  const letters = [
    'a',
    'B',
    '.',
    '..',
    '/',
    '\\',
    '%',
    '2e',
    '2F',
    ' ',
    'س',
    '\u200c',
    '\u202e',
    '\0',
    '\u0301',
    'ß',
    '\ud800',
  ]
  const paths = fc.oneof(
    fc.array(fc.constantFrom(...letters), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: anyCharacter, maxLength: 30 }),
  )

  test('that is accepted is what a URL of it means, and stays below its root', () => {
    fc.assert(
      fc.property(paths, (path) => {
        if (pathFault(path) !== undefined) return
        const url = new URL(path.split('/').map(encodeURIComponent).join('/'), 'http://site.test/')
        expect(decodeURIComponent(url.pathname)).toBe(`/${path}`)
        expect(url.host).toBe('site.test')
        // Decoding the path once more does not lead anywhere else, either.
        expect(path).not.toMatch(/%[0-9a-f]{2}/i)
        expect(path.split('/')).not.toContain('..')
        expect(path).toBe(path.normalize('NFC'))
      }),
      { numRuns: 5_000 },
    )
  })

  test('of a set differs from all others in more than case, and is no folder of another', () => {
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 12 }), (all) => {
        const set = new PathSet()
        const accepted = all.filter((path, index) => pathFault(path) === undefined && !set.add(path, index))
        const keys = accepted.map(foldPath)
        expect(new Set(keys).size).toBe(keys.length)
        for (const one of keys) for (const other of keys) expect(other.startsWith(`${one}/`)).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('paths beside each other', () => {
  test.each([
    ['a.html', 'A.HTML', 'twice'],
    ['straße.html', 'STRASSE.html', 'twice'],
    ['ΣΑΣ', 'σας', 'twice'],
    ['é', 'É', 'twice'],
    ['a', 'a/b', 'folder'],
    ['a/b', 'a', 'folder'],
    ['A/b/c', 'a/B', 'folder'],
    ['a/b', 'A/B/c', 'folder'],
  ] as const)('%j and %j collide: %s', (one, other, kind) => {
    const set = new PathSet()
    expect(set.add(one, 3)).toBeUndefined()
    expect(set.add(other, 4)).toEqual({ of: 3, kind })
  })

  test.each([
    // These are different letters, though they look alike.
    ['ي.html', 'ی.html'],
    ['ك.html', 'ک.html'],
    ['a', 'ab'],
    ['a/b', 'a/bc'],
    ['Img/a.png', 'img/b.png'],
    ['about.html', 'about/index.html'],
  ])('%j and %j do not', (one, other) => {
    const set = new PathSet()
    expect(set.add(one, 0)).toBeUndefined()
    expect(set.add(other, 1)).toBeUndefined()
  })
})
