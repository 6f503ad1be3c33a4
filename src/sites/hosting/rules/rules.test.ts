import { expect, test } from 'vitest'
import fc, { anyCharacter } from '../../../../tests/harness/fast-check.ts'
import { allowedHeaders, parseHeaders } from '../headers-file.ts'
import { maxRedirects, parseRedirects } from '../redirects.ts'
import type { ParsedRules } from './lines.ts'
import { headerPhrases, redirectPhrases, ruleFilePhrases } from './phrases.ts'

const rulesOf = <Rule>(parsed: ParsedRules<Rule>): Rule[] => {
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems))
  return parsed.rules
}
const problemsOf = (parsed: ParsedRules<unknown>) => ('problems' in parsed ? parsed.problems : [])

test('redirects are read with their status, splat, query, comments and the line ends of any system', () => {
  const text = [
    '\ufeff# سایت تازه',
    '',
    '/old /new',
    '/a%20b\t/c?x=1#y 302 # comment',
    '/blog/* /news/:splat 307\r',
    '/درباره/ /about/درباره 308',
    '/* / 302',
  ].join('\n')
  expect(rulesOf(parseRedirects(text))).toEqual([
    { from: '/old', to: '/new', status: 301 },
    { from: '/a b', to: '/c?x=1#y', status: 302 },
    { from: '/blog/*', to: '/news/:splat', status: 307 },
    { from: '/درباره', to: `/about/${encodeURIComponent('درباره')}`, status: 308 },
    { from: '/*', to: '/', status: 302 },
  ])
})

test.each([
  ['/a', redirectPhrases.parts()],
  ['/a /b 301 Country=ir', redirectPhrases.parts()],
  ['/* /index.html 200', redirectPhrases.rewrite()],
  ['/* /404.html 404', redirectPhrases.notFound()],
  ['/a /b 301!', redirectPhrases.forced()],
  ['/a /b 303', redirectPhrases.status()],
  ['/a /b 0301', redirectPhrases.status()],
  ['/a*/b /c', redirectPhrases.star()],
  ['/a* /c', redirectPhrases.star()],
  ['/%2a /c', redirectPhrases.star()],
  ['/news/:year /c', redirectPhrases.placeholder()],
  ['/a/* /c/:year', redirectPhrases.placeholder()],
  ['/a /c/:splat', redirectPhrases.splat()],
  ['a /c', ruleFilePhrases.path()],
  ['//a /c', ruleFilePhrases.path()],
  ['/a/../b /c', ruleFilePhrases.path()],
  ['/a/%2e%2e/b /c', ruleFilePhrases.path()],
  ['/a%2fb /c', ruleFilePhrases.path()],
  ['/a?b=1 /c', ruleFilePhrases.path()],
  ['/a%zz /c', ruleFilePhrases.encoding()],
  ['/a%ff /c', ruleFilePhrases.encoding()],
  ['/a https://example.com/', ruleFilePhrases.otherSite()],
  ['https://example.com/a /b', ruleFilePhrases.path()],
  ['/a //example.com', ruleFilePhrases.otherSite()],
  ['/a /\\example.com', ruleFilePhrases.otherSite()],
  ['/a /..//example.com', ruleFilePhrases.path()],
  ['/a /.//example.com', ruleFilePhrases.path()],
  ['/a/* //:splat', ruleFilePhrases.otherSite()],
  ['/a /a', redirectPhrases.itself()],
  ['/a/ /%61?x=1', redirectPhrases.itself()],
  ['/a/* /a/:splat', redirectPhrases.itself()],
  ['/a \u0007/b', ruleFilePhrases.control()],
  [`/${'a'.repeat(2_000)} /b`, ruleFilePhrases.lineTooLong(2_000)],
])('the redirect %j is refused with its line', (line, why) => {
  expect(problemsOf(parseRedirects(`/x /y\n${line}\n`))).toEqual([{ line: 2, why }])
})

test('a thousand redirects of the longest line are read, one more is refused where it stands', () => {
  const lines = Array.from({ length: maxRedirects }, (_, index) => `/${index} /to`)
  expect(rulesOf(parseRedirects(lines.join('\n')))).toHaveLength(maxRedirects)
  expect(problemsOf(parseRedirects([...lines, '/x /y'].join('\n')))).toEqual([
    { line: 1_001, why: ruleFilePhrases.tooMany(maxRedirects) },
  ])
  expect(rulesOf(parseRedirects(`/${'a'.repeat(1_996)} /b`))).toHaveLength(1)
  expect(rulesOf(parseRedirects(`#${'a'.repeat(249_999)}`))).toEqual([])
  expect(problemsOf(parseRedirects(`#${'a'.repeat(250_000)}`))).toEqual([
    { line: 1, why: ruleFilePhrases.tooLong(250_000) },
  ])
})

test('of many wrong lines the first twenty are named', () => {
  const problems = problemsOf(parseRedirects('nonsense\n'.repeat(10_000)))
  expect(problems.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
})

test('no accepted redirect can lead to another host, whatever is written', () => {
  const piece = fc.constantFrom(
    '/',
    '//',
    '\\',
    '.',
    '..',
    'a',
    ':splat',
    '%2f',
    '%5c',
    '@',
    ':',
    'http:',
    '\t',
    '؟',
    '%2e',
    '?',
    '#',
  )
  const target = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(target, fc.boolean(), (to, splat) => {
      const parsed = parseRedirects(`${splat ? '/from/*' : '/from'} ${to} 302`)
      if ('problems' in parsed) return
      for (const { to: location } of parsed.rules) {
        expect(location).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
        expect(new URL(location, 'https://own.example').host).toBe('own.example')
      }
    }),
    { numRuns: 2_000 },
  )
})

test('headers are read by block: values of a name joined within one, names as they are sent', () => {
  const text = [
    '/*',
    '  x-frame-options: DENY',
    '  Link: </a.css>; rel=preload',
    '  Link: </b.css>; rel=preload',
    '# comment',
    '/blog/',
    '\tContent-Language: fa',
    '/دفتر/*.html',
    'Cache-Control: no-cache',
  ].join('\r\n')
  expect(rulesOf(parseHeaders(text))).toEqual([
    {
      path: '/*',
      headers: [
        ['X-Frame-Options', 'DENY'],
        ['Link', '</a.css>; rel=preload, </b.css>; rel=preload'],
      ],
    },
    { path: '/blog/', headers: [['Content-Language', 'fa']] },
    { path: '/دفتر/*.html', headers: [['Cache-Control', 'no-cache']] },
  ])
})

test.each([
  ['Set-Cookie', 'a=b'],
  ['Clear-Site-Data', '"*"'],
  ['Service-Worker-Allowed', '/'],
  ['Alt-Svc', 'h3=":443"'],
  ['Strict-Transport-Security', 'max-age=1'],
  ['Content-Type', 'text/html'],
  ['Content-Length', '1'],
  ['Content-Encoding', 'gzip'],
  ['Access-Control-Allow-Credentials', 'true'],
  ['Location', '/'],
  ['Refresh', '0;url=/'],
  ['Transfer-Encoding', 'chunked'],
])('no site can set %s', (name, value) => {
  for (const written of [name, name.toLowerCase(), ` ${name.toUpperCase()} `])
    expect(problemsOf(parseHeaders(`/*\n  ${written}: ${value}`))).toEqual([
      { line: 2, why: headerPhrases.name(written.trim(), allowedHeaders) },
    ])
})

test.each([
  ['X-Frame-Options: DENY', 1, headerPhrases.noPath()],
  ['/*\n nonsense', 2, headerPhrases.neither()],
  ['/*\n : value', 2, headerPhrases.neither()],
  ['/*\n Link:', 2, headerPhrases.value()],
  ['/*\n Link: سلام', 2, headerPhrases.value()],
  [`/*\n Link: ${'a'.repeat(4_001)}`, 2, headerPhrases.value()],
  [`/*\n Link: ${'a'.repeat(2_000)}\n Link: ${'a'.repeat(1_999)}`, 3, headerPhrases.value()],
  ['/*\n X-Content-Type-Options: none', 2, headerPhrases.only('X-Content-Type-Options', 'nosniff')],
  ['/a\n/*\n Link: x', 1, headerPhrases.empty()],
  ['/*/*\n Link: x', 1, headerPhrases.star()],
  ['/:a\n Link: x', 1, headerPhrases.star()],
  ['/%2A\n Link: x', 1, headerPhrases.star()],
  ['https://example.com/\n Link: x', 1, ruleFilePhrases.path()],
  ['//a\n Link: x', 1, ruleFilePhrases.path()],
  ['/a\n Link: x\u0000y', 2, ruleFilePhrases.control()],
])('the headers %j are refused with their line', (text, line, why) => {
  expect(problemsOf(parseHeaders(text))).toEqual([{ line, why }])
})

test('bounds of headers hold at their edges', () => {
  expect(rulesOf(parseHeaders(`/*\n Link: ${'a'.repeat(4_000)}`))).toHaveLength(1)
  expect(rulesOf(parseHeaders(`/*\n Link: ${'a'.repeat(2_000)}\n Link: ${'a'.repeat(1_998)}`))).toHaveLength(
    1,
  )
  const blocks = (count: number) => '/*\n Link: x\n'.repeat(count)
  expect(rulesOf(parseHeaders(blocks(200)))).toHaveLength(200)
  expect(problemsOf(parseHeaders(blocks(201)))).toEqual([{ line: 401, why: ruleFilePhrases.tooMany(200) }])
})

test('no accepted header can split an answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), (value) => {
      const parsed = parseHeaders(`/*\n Link: ${value}`)
      if ('problems' in parsed) return
      for (const [name, sent] of parsed.rules.flatMap(({ headers }) => headers))
        expect(`${name}: ${sent}`).toMatch(/^[\w-]+: [\x20-\x7e]+$/)
    }),
    { numRuns: 2_000 },
  )
})
