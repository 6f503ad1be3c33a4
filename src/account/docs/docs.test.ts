import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { declarationOf, declaredCodes, sentenceOf } from '#platform/errors'
import { type Route, routesOf, socketRoutesOf, socketStream } from '#platform/http'
import { sampleOf } from '#platform/schema'
import '../../server.ts'
import { routes } from '../../capabilities.ts'
import { callOf } from './example.ts'
import { pageOf } from './page.ts'

const route = routesOf<unknown>()
const socketRoute = socketRoutesOf<unknown>()

describe.each(declaredCodes())('%s', (code) => {
  test('has a status of a failure and a sentence in Persian and in English', () => {
    expect(declarationOf(code).status).toBeGreaterThanOrEqual(400)
    expect(declarationOf(code).status).toBeLessThan(600)
    const [en, fa] = [sentenceOf(code, 'en'), sentenceOf(code, 'fa')]
    expect(fa).toMatch(/[\u0600-\u06FF]{3}/)
    expect(en).not.toMatch(/[\u0600-\u06FF]/)
    for (const sentence of [en, fa]) {
      expect(sentence.length).toBeGreaterThan(15)
      expect(sentence).not.toMatch(/undefined|\[object|NaN|null/)
    }
  })
})

test('the example of every route is a body that the route takes', () => {
  for (const { operation, body } of routes.filter((one) => one.body)) {
    const check = new Ajv2020({
      strict: false,
      discriminator: true,
      validateFormats: false,
      code: { optimize: false },
    }).compile(body as object)
    expect(check(sampleOf(body!)), operation).toBe(true)
  }
})

test('whatever stands in a route is escaped, in the page and in its shell line', () => {
  const hostile = `<script>alert("1")</script>'&`
  const odd: Route = route({
    method: 'POST',
    path: '/v1/odd',
    operation: 'odd.one',
    scope: 'public',
    summary: { en: hostile, fa: hostile },
    body: Type.Object({ text: Type.String({ description: hostile, default: hostile, examples: [hostile] }) }),
    reply: { 200: Type.Object({ [hostile]: Type.Literal(hostile) }) },
    errors: [],
    handle: () => ({}),
  })
  for (const language of ['fa', 'en'] as const) {
    const page = pageOf([odd], `http://x/"><script>`, language)
    expect(page.match(/<script>/g)).toHaveLength(1)
    expect(page).not.toContain('alert("1")')
  }
  expect(callOf(odd, 'http://x')).toContain(`</script>'\\''&`)
})

test('a Persian sentence in an example keeps its full stop at its end', () => {
  const sentence = 'سلام! خودت را معرفی کن.'
  const said = route({
    method: 'POST',
    path: '/v1/said',
    operation: 'said.one',
    scope: 'public',
    summary: { en: 'Says it.', fa: 'می‌گوید.' },
    body: Type.Object({ text: Type.String({ default: sentence, examples: [sentence] }) }),
    reply: { 200: Type.Object({}) },
    errors: [],
    handle: () => ({}),
  })
  for (const language of ['fa', 'en'] as const) {
    const page = pageOf([said], 'http://x', language)
    const places = page.split(sentence).length - 1
    expect(places, language).toBeGreaterThan(1)
    expect(page.split(`"<bdi dir="rtl">${sentence}</bdi>"`), language).toHaveLength(places + 1)
  }
})

const open = { scope: 'public', summary: { en: 'A route.', fa: 'یک مسیر.' }, errors: [] as never[] } as const
const Reply = Type.Object({ reply: Type.String() })

test('two hosts may have the same path and method: the page has both', () => {
  const twice = ['x.test', '{slug}.y.test', undefined].map((host, at) =>
    route({
      ...open,
      method: 'GET',
      path: '/same/{name}',
      ...(host !== undefined && { host }),
      operation: `test.same${at}`,
      params: Type.Object({ name: Type.String(), slug: Type.Optional(Type.String()) }),
      reply: { 200: Reply },
      handle: () => ({ reply: 'x' }),
    }),
  )
  const page = pageOf(twice, 'http://x', 'en')
  for (const address of ['https://x.test', 'https://SLUG.y.test', 'http://x'])
    expect(page).toContain(`curl ${address}/same/NAME`)
  expect(page).toContain('{slug}.y.test')
})

test.each([
  ['en', 'a WebSocket is open'],
  ['fa', 'یک WebSocket باز می‌شود'],
] as const)(
  'the page says of a WebSocket in %s that one is opened, with a call of wscat',
  (language, words) => {
    const routes: Route[] = [
      socketRoute({
        ...open,
        path: '/idle',
        operation: 'test.idle',
        handle: () => socketStream(async () => undefined),
      }),
      route({
        ...open,
        method: 'GET',
        path: '/plain',
        operation: 'test.plain',
        reply: { 200: Reply },
        handle: () => ({ reply: 'plain' }),
      }),
    ]
    const page = pageOf(routes, 'http://x', language)
    expect(page).toContain(words)
    expect(page).toContain('npx wscat -c ws://x/idle')
    expect(page).toContain('curl http://x/plain')
  },
)
